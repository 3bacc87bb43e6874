/* Elements below a limit move together: places inside a work-group by a scan, the group's by an atomic. */
kernel void compact(global const uint *in, global uint *out, global uint *count, uint limit) {
  local uint t[WG], base;
  uint l = get_local_id(0), x = in[get_global_id(0)], keep = x < limit;
  t[l] = keep;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < WG; d *= 2) {
    uint y = l >= d ? t[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += y;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == WG - 1)
    base = atomic_add(count, t[l]) & 0xfffff;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (keep)
    out[base + t[l] - 1] = x;
}
