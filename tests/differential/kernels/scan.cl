kernel void scan_hillis(global const uint *in, global uint *out, local uint *a, local uint *b) {
  uint lid = get_local_id(0), n = get_local_size(0);
  a[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < n; step <<= 1) {
    b[lid] = lid >= step ? a[lid] + a[lid - step] : a[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *swap = a;
    a = b;
    b = swap;
  }
  out[get_global_id(0)] = a[lid];
}

kernel void scan_blelloch(global const int *in, global int *out, local int *tree) {
  int lid = get_local_id(0), n = 2 * get_local_size(0), base = get_group_id(0) * n;
  tree[2 * lid] = in[base + 2 * lid];
  tree[2 * lid + 1] = in[base + 2 * lid + 1];
  int step = 1;
  for (int left = n >> 1; left > 0; left >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < left)
      tree[step * (2 * lid + 2) - 1] += tree[step * (2 * lid + 1) - 1];
    step *= 2;
  }
  if (lid == 0)
    tree[n - 1] = 0;
  for (int left = 1; left < n; left *= 2) {
    step >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < left) {
      int low = step * (2 * lid + 1) - 1, high = step * (2 * lid + 2) - 1, value = tree[low];
      tree[low] = tree[high];
      tree[high] += value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + 2 * lid] = tree[2 * lid];
  out[base + 2 * lid + 1] = tree[2 * lid + 1];
}
