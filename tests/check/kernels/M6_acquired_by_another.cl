// The first work-item of a work-group acquires a message and passes it on to the others with a barrier that fences
// global memory; with -D WRONG with one that fences the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void send(global int *message, global atomic_int *flag, global int *out) {
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    message[l] = 9 * l; /* OTHER */
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    return;
  }
  if (l == 0)
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
      ;
  barrier(FENCE);
  if (l >= 64)
    out[l] = message[128 - l]; /* HERE */
}
