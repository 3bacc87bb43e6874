// One work-group releases a message, and another one waits for it. Then it acquires for the device; with -D WRONG for its
// own work-group, in which nobody sent anything.
// DETAIL has memory_scope_work_group, so it orders nothing between work-groups
#ifdef WRONG
#define SCOPE memory_scope_work_group
#else
#define SCOPE memory_scope_device
#endif

kernel void send(global int *message, global atomic_int *flag, global int *out) {
  if (get_local_id(0) != 0)
    return;
  if (get_group_id(0) == 0) {
    message[3] = 7; /* OTHER */
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  } else {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0)
      ;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, SCOPE);
    out[0] = message[3]; /* HERE */
  }
}
