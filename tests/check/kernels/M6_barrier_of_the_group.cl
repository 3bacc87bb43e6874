// The last work-group reads what all have written. The count is relaxed, but the barriers before and after it are fences
// for the device; with -D WRONG they are barriers as usual, for the work-group.
// DETAIL the barrier at line 14 has memory_scope_work_group, so it orders nothing between work-groups
#ifdef WRONG
#define BARRIER(flags) barrier(flags)
#else
#define BARRIER(flags) work_group_barrier(flags, memory_scope_device)
#endif

kernel void turn(global const int *in, global int *between, global int *done, global int *out) {
  local int last;
  size_t i = get_global_id(0), n = get_global_size(0);
  between[i] = in[i] + 1; /* OTHER */
  BARRIER(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    last = atomic_inc(done) == get_num_groups(0) - 1;
  BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (size_t k = get_local_id(0); last && k < n; k += get_local_size(0))
    out[k] = between[n - 1 - k]; /* HERE */
}
