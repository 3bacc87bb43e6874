// A work-group reports to another one that a copy is complete after waiting for it; with -D WRONG before that, but
// after a barrier, which orders work-items, not the copy.
kernel void send(global int *parts, global atomic_int *flag, global int *out) {
  local int words[64];
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    words[l] = 3 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_copy(parts, words, 64, 0); /* OTHER */
#ifndef WRONG
    wait_group_events(1, &event);
#endif
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
#ifdef WRONG
    wait_group_events(1, &event);
#endif
    return;
  }
  if (l == 0)
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[l] = parts[63 - l]; /* HERE */
}
