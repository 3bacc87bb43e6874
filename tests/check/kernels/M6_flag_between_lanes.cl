// In each work-group, one work-item publishes a value with a release and another one takes it with an acquire; in most
// work-groups both are lanes of one warp. With -D WRONG the flag orders nothing.
#ifdef WRONG
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

kernel void pass(global int *value, global atomic_int *flag, global int *out) {
  uint g = get_group_id(0), from = g, to = (5 * g + 1) % get_local_size(0);
  if (get_local_id(0) == from) {
    value[g] = 7 * g; /* OTHER */
    atomic_store_explicit(&flag[g], 1, RELEASE, memory_scope_device);
  }
  if (get_local_id(0) == to) {
    while (atomic_load_explicit(&flag[g], ACQUIRE, memory_scope_device) == 0)
      ;
    out[g] = value[g]; /* HERE */
  }
}
