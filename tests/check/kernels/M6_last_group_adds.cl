// Work-groups leave partial sums and the last one to count itself adds them up: fences for the device are before and
// after the count; -D WRONG omits the one before.
#define FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)

kernel void total(global const int *in, global int *parts, global int *done, global int *out) {
  local int sum, last;
  uint l = get_local_id(0);
  if (l == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, in[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    parts[get_group_id(0)] = sum; /* OTHER */
#ifndef WRONG
    FENCE();
#endif
    last = atomic_inc(done) == get_num_groups(0) - 1;
    FENCE();
    sum = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last)
    return;
  if (l < get_num_groups(0))
    atomic_add(&sum, parts[l]); /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    out[0] = sum;
}
