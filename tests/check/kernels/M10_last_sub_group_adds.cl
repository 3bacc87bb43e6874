// Sub-groups of many work-groups leave sums, one work-item each, and the last to be counted adds all of them up. All
// lanes add. The first one has counted, and acquires only for itself: a barrier of the sub-group passes this on, with
// -D WRONG only a broadcast does.
kernel void total(global const int *in, global int *parts, global atomic_int *done, global int *out) {
  uint lane = get_sub_group_local_id();
  int sum = sub_group_reduce_add(in[get_global_id(0)]), last = 0;
  if (lane == 0) {
    parts[get_group_id(0)] = sum; /* OTHER */
    last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1;
  }
  last = sub_group_broadcast(last, 0);
#ifndef WRONG
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  if (!last)
    return;
  if (lane != get_group_id(0))
    sum = lane < get_num_groups(0) ? parts[lane] : 0; /* HERE */
  sum = sub_group_reduce_add(sum);
  if (lane == 0)
    out[0] = sum;
}
