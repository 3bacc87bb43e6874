// The first work-item acquires a message of another group and reports it to another sub-group with a flag in the LDS,
// whose sequentially consistent order holds for both memories; with -D WRONG release and acquire hold for the LDS only.
#ifdef WRONG
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#else
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#endif

kernel void send(global int *message, global atomic_int *flag, global int *out) {
  local atomic_int ready;
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    if (l == 0) {
      message[5] = 9; /* OTHER */
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    return;
  }
  if (l == 0)
    atomic_init(&ready, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
      ;
    atomic_store_explicit(&ready, 1, RELEASE, memory_scope_work_group);
  }
  if (l == 127) {
    while (atomic_load_explicit(&ready, ACQUIRE, memory_scope_work_group) == 0)
      ;
    out[l] = message[5]; /* HERE */
  }
}
