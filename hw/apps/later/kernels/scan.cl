/* Inclusive sums inside blocks. WAY: 0 Hillis and Steele, 1 Blelloch, 2 several elements a work-item. */
#ifndef WAY
#define WAY 0
#endif
#ifndef EACH
#define EACH 4
#endif
kernel void scan(global const uint *in, global uint *out, global uint *sums) {
  local uint t[2 * WG];
  uint l = get_local_id(0), g = get_group_id(0);
#if WAY == 0
  uint from = 0;
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < WG; d *= 2) {
    uint x = t[from + l];
    if (l >= d)
      x += t[from + l - d];
    from = WG - from;
    t[from + l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = t[from + l];
  if (l == WG - 1)
    sums[g] = t[from + l];
#elif WAY == 1
  uint base = g * 2 * WG;
  t[2 * l] = in[base + 2 * l];
  t[2 * l + 1] = in[base + 2 * l + 1];
  uint step = 1;
  for (uint d = WG; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      uint a = step * (2 * l + 1) - 1, b = step * (2 * l + 2) - 1;
      t[b] += t[a];
    }
    step *= 2;
  }
  if (l == 0) {
    sums[g] = t[2 * WG - 1];
    t[2 * WG - 1] = 0;
  }
  for (uint d = 1; d < 2 * WG; d *= 2) {
    step /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      uint a = step * (2 * l + 1) - 1, b = step * (2 * l + 2) - 1;
      uint x = t[a];
      t[a] = t[b];
      t[b] += x;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + 2 * l] = t[2 * l] + in[base + 2 * l];
  out[base + 2 * l + 1] = t[2 * l + 1] + in[base + 2 * l + 1];
#else
  uint mine[EACH], sum = 0, base = (g * WG + l) * EACH;
  for (uint i = 0; i < EACH; i++) {
    sum += in[base + i];
    mine[i] = sum;
  }
  t[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < WG; d *= 2) {
    uint x = l >= d ? t[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint before = l ? t[l - 1] : 0;
  for (uint i = 0; i < EACH; i++)
    out[base + i] = before + mine[i];
  if (l == WG - 1)
    sums[g] = t[l];
#endif
}
