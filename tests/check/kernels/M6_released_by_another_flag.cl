// A work-group raises two flags after a message. The second one releases, too; with -D WRONG only the first one does, for
// which nobody waits.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

kernel void send(global int *message, global atomic_int *flags, global int *out) {
  if (get_local_id(0) != 0)
    return;
  if (get_group_id(0) == 0) {
    message[3] = 7; /* OTHER */
    atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_device);
    atomic_store_explicit(&flags[1], 1, ORDER, memory_scope_device);
  } else {
    while (atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_device) == 0)
      ;
    out[0] = message[3]; /* HERE */
  }
}
