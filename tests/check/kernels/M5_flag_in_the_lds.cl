// A work-item leaves a message in the LDS and raises a flag there, for which others wait; with -D WRONG they wait with
// a relaxed load, which does not acquire what the flag releases.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

kernel void message(global int *out) {
  local int text[8];
  local atomic_int flag;
  uint l = get_local_id(0);
  if (l < 8)
    text[l] = 0;
  if (l == 0)
    atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = 0;
  if (l == 0) {
    for (int k = 0; k < 8; k++)
      text[k] = 3 * k; /* OTHER */
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  }
  if (l >= 64) {
    while (atomic_load_explicit(&flag, ORDER, memory_scope_work_group) == 0)
      ;
    v = text[l % 8]; /* HERE */
  }
  out[l] = v;
}
