// A fence before a relaxed flag releases a message; with -D WRONG it only acquires.
#ifdef WRONG
#define ORDER memory_order_acquire
#else
#define ORDER memory_order_release
#endif

kernel void send(global int *message, global atomic_int *flag, global int *out) {
  if (get_local_id(0) != 0)
    return;
  if (get_group_id(0) == 0) {
    message[3] = 7; /* OTHER */
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, ORDER, memory_scope_device);
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
  } else {
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
      ;
    out[0] = message[3]; /* HERE */
  }
}
