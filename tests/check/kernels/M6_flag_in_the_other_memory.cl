// A sub-group leaves a message in global memory and raises a flag in the LDS, between fences of both memories; with -D
// WRONG they fence only global memory, which an atomic in the LDS does not hand over.
#ifdef WRONG
#define FLAGS CLK_GLOBAL_MEM_FENCE
#else
#define FLAGS CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE
#endif

kernel void send(global int *message, global int *out) {
  local atomic_int flag;
  uint l = get_local_id(0);
  if (l == 0)
    atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    message[5] = 9; /* OTHER */
    atomic_work_item_fence(FLAGS, memory_order_release, memory_scope_work_group);
    atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
  }
  if (l == 64) {
    while (atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group) == 0)
      ;
    atomic_work_item_fence(FLAGS, memory_order_acquire, memory_scope_work_group);
    out[0] = message[5]; /* HERE */
  }
}
