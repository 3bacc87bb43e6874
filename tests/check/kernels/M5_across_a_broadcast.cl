// All get the group's first value and read what a work-item of the other half has written; with -D WRONG only the
// broadcast is between, which is no fence.
kernel void turn(global const int *in, global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  tile[l] = in[get_global_id(0)]; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  int first = work_group_broadcast(in[get_global_id(0)], 0);
  out[get_global_id(0)] = tile[l ^ 32] - first; /* HERE */
}
