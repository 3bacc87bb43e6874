// Work-groups of one work-item hand over a buffer; the second copies it after acquiring it. It needs no barrier because
// it has no other work-items. With -D WRONG it does not acquire it.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

kernel void send(global int *words, global atomic_int *flag, global int *out) {
  local int tile[4];
  if (get_group_id(0) == 0) {
    words[2] = 3; /* HERE */
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    return;
  }
  while (atomic_load_explicit(flag, ORDER, memory_scope_device) == 0)
    ;
  event_t event = async_work_group_copy(tile, words, 4, 0); /* OTHER */
  wait_group_events(1, &event);
  out[0] = tile[2];
}
