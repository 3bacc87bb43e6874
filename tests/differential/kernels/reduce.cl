kernel void reduce_tree(global const int *in, global int *out, local int *scratch) {
  size_t lid = get_local_id(0);
  scratch[lid] = in[get_global_id(0)];
  for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < half_size)
      scratch[lid] += scratch[lid + half_size];
  }
  if (lid == 0)
    out[get_group_id(0)] = scratch[0];
}

kernel void reduce_atomic(global const uint *in, global uint *out, uint n) {
  local uint sum, least, most;
  if (get_local_id(0) == 0) {
    sum = 0;
    least = UINT_MAX;
    most = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
    atomic_add(&sum, in[i]);
    atomic_min(&least, in[i]);
    atomic_max(&most, in[i]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    atomic_add(&out[0], sum);
    atomic_min(&out[1], least);
    atomic_max(&out[2], most);
    atomic_xor(&out[3], sum);
    atomic_inc(&out[4]);
  }
}
