// A work-item hands a message to another work-group, which reports to another warp of the first one. With -D WRONG that
// warp does not acquire the report.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif
#define WAIT(flag, order)                                                                                              \
  while (atomic_load_explicit(flag, order, memory_scope_device) == 0)                                                  \
    ;
#define RAISE(flag) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device)

kernel void echo(global int *message, global atomic_int *flags, global int *out) {
  uint group = get_group_id(0), l = get_local_id(0);
  if (group == 0 && l == 70) {
    message[5] = 9; /* OTHER */
    RAISE(&flags[0]);
  }
  if (group == 1 && l == 3) {
    WAIT(&flags[0], memory_order_acquire);
    RAISE(&flags[1]);
  }
  if (group == 0 && l == 1) {
    WAIT(&flags[1], ORDER);
    out[0] = message[5]; /* HERE */
  }
}
