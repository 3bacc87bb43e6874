// One work-group writes a message, meets, and raises a flag, for which the first work-item of another one waits; with
// -D WRONG it does not acquire what the flag releases.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

kernel void send(global int *message, global atomic_int *flag, global int *out) {
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    message[l] = 7 * l; /* OTHER */
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    return;
  }
  if (l == 0)
    while (atomic_load_explicit(flag, ORDER, memory_scope_device) == 0)
      ;
#ifdef WRONG
  barrier(0);
#else
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  out[l] = message[63 - l]; /* HERE */
}
