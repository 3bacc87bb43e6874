// The last work-group to count itself reads what all have left. Fences before and after the count are for the device;
// with -D WRONG they are mem_fence(), whose scope is the work-group.
// DETAIL has memory_scope_work_group, so it orders nothing between work-groups
#ifdef WRONG
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#else
#define FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#endif

kernel void total(global int *parts, global int *done, global int *out) {
  local int last;
  uint l = get_local_id(0);
  if (l == 0) {
    parts[get_group_id(0)] = 7 * get_group_id(0); /* OTHER */
    FENCE();
    last = atomic_inc(done) == get_num_groups(0) - 1;
    FENCE();
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (last && l < get_num_groups(0))
    out[l] = parts[l]; /* HERE */
}
