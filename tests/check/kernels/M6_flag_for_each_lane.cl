// Each work-item of the last group waits for the flag of another group; with -D WRONG one of these raises it without
// releasing what it has written.
#ifdef WRONG
#define RELAXED 3
#else
#define RELAXED 12
#endif

kernel void gather(global int *words, global atomic_int *flags, global int *out) {
  uint l = get_local_id(0), group = get_group_id(0), others = get_num_groups(0) - 1;
  if (group < others) {
    if (l == 0) {
      words[group] = 5 * group; /* OTHER */
      if (group == RELAXED)
        atomic_store_explicit(&flags[group], 1, memory_order_relaxed, memory_scope_device);
      else
        atomic_store_explicit(&flags[group], 1, memory_order_release, memory_scope_device);
    }
    return;
  }
  if (l < others)
    while (atomic_load_explicit(&flags[l], memory_order_acquire, memory_scope_device) == 0)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (l < others)
    out[l] = words[others - 1 - l]; /* HERE */
}
