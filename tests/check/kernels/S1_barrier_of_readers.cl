/* Neighbors in a sub-group exchange values through the LDS. With -D WRONG only the lower half waits at the sub-group's
 * barrier; otherwise all do. */
kernel void exchange(global const int *in, global int *out) {
  local int tile[64];
  uint i = get_local_id(0), lane = get_sub_group_local_id();
  tile[i] = in[i];
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  int x = tile[i ^ 1];
#ifdef WRONG
  if (lane < get_sub_group_size() / 2) /* OTHER */
#endif
    sub_group_barrier(CLK_LOCAL_MEM_FENCE); /* HERE */
  out[i] = x;
}
