/* Softmax of rows, a work-group each. */
kernel void softmax(global const float *in, global float *out, int columns) {
  local float t[WG];
  int l = get_local_id(0);
  global const float *row = in + get_group_id(0) * columns;
  global float *to = out + get_group_id(0) * columns;
  float m = -INFINITY;
  for (int i = l; i < columns; i += WG)
    m = fmax(m, row[i]);
  t[l] = m;
  for (int d = WG / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d)
      t[l] = fmax(t[l], t[l + d]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  m = t[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float s = 0;
  for (int i = l; i < columns; i += WG)
    s += exp(row[i] - m);
  t[l] = s;
  for (int d = WG / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d)
      t[l] += t[l + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  s = 1 / t[0];
  for (int i = l; i < columns; i += WG)
    to[i] = exp(row[i] - m) * s;
}
