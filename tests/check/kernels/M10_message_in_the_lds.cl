// One sub-group leaves a message in the LDS for another one, and its first work-item raises the flag; -D WRONG omits
// the sub-group's barrier before that.
void put(local int *text, uint l) { text[l] = 5 * l; /* OTHER */ }

kernel void message(global int *out) {
  local int text[64];
  local atomic_int flag;
  uint l = get_local_id(0);
  if (l == 0)
    atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = 0;
  if (l < 16)
    put(text, l);
#ifndef WRONG
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (l == 0)
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  if (l >= 64) {
    while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 0)
      ;
    v = text[l % 16]; /* HERE */
  }
  out[l] = v;
}
