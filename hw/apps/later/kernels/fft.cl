/* Transforms of N points, radix 2, each by a work-group of N / 2, in the LDS. */
kernel void fft(global const float2 *in, global float2 *out) {
  local float2 t[2][N];
  uint l = get_local_id(0), base = get_group_id(0) * N, from = 0;
  t[0][l] = in[base + l];
  t[0][l + N / 2] = in[base + l + N / 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint p = 1; p < N; p *= 2) {
    uint k = l & (p - 1), j = ((l - k) << 1) + k;
    float angle = -3.14159265f * k / p;
    float c = native_cos(angle), s = native_sin(angle);
    float2 a = t[from][l], b = t[from][l + N / 2];
    float2 r = (float2)(c * b.x - s * b.y, c * b.y + s * b.x);
    from ^= 1;
    t[from][j] = a + r;
    t[from][j + p] = a - r;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[base + l] = t[from][l];
  out[base + l + N / 2] = t[from][l + N / 2];
}
