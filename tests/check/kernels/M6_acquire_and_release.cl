// The last work-group to count itself reads what the others have left; the count releases and acquires; with -D WRONG
// it is relaxed.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acq_rel
#endif

kernel void total(global const int *in, global int *parts, global atomic_uint *done, global int *out) {
  local uint last;
  int sum = work_group_reduce_add(in[get_global_id(0)]);
  if (get_local_id(0) == 0) {
    parts[get_group_id(0)] = sum; /* OTHER */
    last = atomic_fetch_add_explicit(done, 1, ORDER, memory_scope_device) == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last)
    return;
  int part = get_local_id(0) < get_num_groups(0) ? parts[get_local_id(0)] : 0; /* HERE */
  part = work_group_reduce_add(part);
  if (get_local_id(0) == 0)
    out[0] = part;
}
