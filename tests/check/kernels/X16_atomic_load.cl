// Work-items read counts with atomic loads, and a copy resets them. An atomic load is not ordered against a copy: a
// barrier orders it, which -D WRONG omits.
kernel void reset(global const int *in, global int *out) {
  local atomic_int counts[64];
  uint l = get_local_id(0);
  atomic_init(&counts[l], l);
  barrier(CLK_LOCAL_MEM_FENCE);
  int seen = atomic_load_explicit(&counts[l ^ 32], memory_order_relaxed, memory_scope_work_group); /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  event_t e = async_work_group_copy((local int *)counts, in, 64, 0); /* HERE */
  wait_group_events(1, &e);
  out[l] = seen + atomic_load_explicit(&counts[l], memory_order_relaxed, memory_scope_work_group);
}
