// The last work-group reads what work-groups have written: all write, meet at a barrier with a fence, and one of them
// counts. The barriers' scope is the device. With -D WRONG the first one fences only the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void turn(global const int *in, global int *between, global int *done, global int *out) {
  local int last;
  size_t i = get_global_id(0), n = get_global_size(0);
  between[i] = in[i] + 1; /* OTHER */
  work_group_barrier(FENCE, memory_scope_device);
  if (get_local_id(0) == 0)
    last = atomic_inc(done) == get_num_groups(0) - 1;
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  for (size_t k = get_local_id(0); last && k < n; k += get_local_size(0))
    out[k] = between[n - 1 - k]; /* HERE */
}
