/* One helper for pointers to global memory, the LDS and private memory, distinguished at run time. */
int sum(const int *p, int n) {
  int total = 0;
  for (int i = 0; i < n; i++)
    total += p[i];
  return total;
}

kernel void any_space(global int *data, global int *out) {
  local int shared[32];
  int own[4] = {1, 2, 3, (int)get_global_id(0)};
  size_t lid = get_local_id(0), gid = get_global_id(0);
  shared[lid] = data[gid] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int *p = own;
  if (gid % 3 == 0)
    p = data + gid;
  else if (gid % 3 == 1)
    p = shared + (lid & ~3);
  out[gid] = sum(p, gid % 3 == 0 ? 1 : 4) + sum(own, 4) + sum(shared, 8) + sum(data, 5);
}
