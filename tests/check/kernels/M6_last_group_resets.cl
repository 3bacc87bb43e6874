// All work-groups read a word, and the last of them to report that changes it for the next kernel; with -D WRONG
// nothing orders the reads before the report.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acq_rel
#endif

kernel void scale(global int *config, global atomic_uint *done, global int *out) {
  int factor = config[3]; /* OTHER */
#ifndef WRONG
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  if (get_local_id(0) == 0 && atomic_fetch_add_explicit(done, 1, ORDER, memory_scope_device) == get_num_groups(0) - 1)
    config[3] = 0; /* HERE */
  out[get_global_id(0)] = factor * get_local_id(0);
}
