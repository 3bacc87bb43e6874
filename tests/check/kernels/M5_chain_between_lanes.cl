// Lanes pass a token around in the LDS: each waits for the one before it, reads what that one wrote, and writes for the
// next. With -D WRONG a lane takes the token without acquiring what comes with it.
#ifdef WRONG
#define ACQUIRE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#endif

kernel void pass(global int *out) {
  local int value[16];
  local atomic_int turn;
  uint l = get_local_id(0);
  if (l == 0) {
    value[0] = 1;
    atomic_init(&turn, 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 1; i < get_local_size(0); i++) {
    if (l == i - 1)
      atomic_store_explicit(&turn, i, memory_order_release, memory_scope_work_group);
    if (l == i) {
      while (atomic_load_explicit(&turn, ACQUIRE, memory_scope_work_group) != i)
        ;
      value[i] = value[i - 1] + value[0]; /* HERE OTHER */
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = value[l];
}
