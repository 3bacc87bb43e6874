// One sub-group leaves a message in the LDS for another one; the flag's scope is the work-group; with -D WRONG it is the
// sub-group.
// DETAIL has memory_scope_sub_group, so it orders nothing between sub-groups
#ifdef WRONG
#define SCOPE memory_scope_sub_group
#else
#define SCOPE memory_scope_work_group
#endif

kernel void message(global int *out) {
  local int text;
  local atomic_int flag;
  uint l = get_local_id(0);
  if (l == 0)
    atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    text = 5; /* OTHER */
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, SCOPE);
    atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
  }
  if (l == 64) {
    while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 0)
      ;
    out[0] = text; /* HERE */
  }
}
