// All work-groups count themselves. The counter's scope is the device; with -D WRONG it is the work-group: then additions
// of two work-groups race with each other.
// DETAIL has memory_scope_work_group, so it orders nothing between work-groups
#ifdef WRONG
#define SCOPE memory_scope_work_group
#else
#define SCOPE memory_scope_device
#endif

kernel void count(global atomic_int *done) {
  if (get_local_id(0) == 0)
    atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, SCOPE); /* HERE OTHER */
}
