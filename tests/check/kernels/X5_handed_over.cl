// One work-group copies a tile out, waits, and raises a flag; another one copies the tile in after it has acquired what
// the flag releases. With -D WRONG it does not acquire.
#ifdef WRONG
#define ORDER memory_order_relaxed
#define FENCE 0
#else
#define ORDER memory_order_acquire
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void relay(global const int *in, global int *between, global atomic_int *flag, global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    tile[l] = in[l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(between, tile, 64, 0); /* OTHER */
    wait_group_events(1, &e);
    out[64 + l] = between[63 - l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    return;
  }
  if (l == 0)
    while (atomic_load_explicit(flag, ORDER, memory_scope_device) == 0)
      ;
  barrier(FENCE);
  out[l] = between[63 - l]; /* HERE */
}
