// Each work-group waits for the previous one and then reads what all earlier ones have left: what one has acquired it
// releases to the next. With -D WRONG the flags are relaxed, and nothing is released.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

kernel void chain(global const int *in, global int *sums, global atomic_int *flags, global int *out) {
  uint group = get_group_id(0);
  int sum = work_group_reduce_add(in[get_global_id(0)]), before = 0;
  if (get_local_id(0) != 0)
    return;
  sums[group] = sum; /* OTHER */
  while (group > 0 && atomic_load_explicit(&flags[group - 1], memory_order_acquire, memory_scope_device) == 0)
    ;
  for (uint k = 0; k < group; k++)
    before += sums[k]; /* HERE */
  out[group] = before;
  atomic_store_explicit(&flags[group], 1, ORDER, memory_scope_device);
}
