/* A histogram in the LDS for each work-group, then added to the whole one. */
kernel void hist_local(global const uint *in, global uint *bins, uint n) {
  local uint mine[BINS];
  for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
    mine[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&mine[in[i] % BINS]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
    if (mine[i])
      atomic_add(&bins[i], mine[i]);
}
