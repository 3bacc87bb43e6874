// Work-groups take a lock in turn and change plain words: the new owner acquires what the last one has released; with
// -D WRONG it does not.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

kernel void largest(global const int *in, global int *best, global atomic_int *lock) {
  int v = work_group_reduce_max(in[get_global_id(0)]);
  if (get_local_id(0) != 0)
    return;
  int open = 0;
  while (!atomic_compare_exchange_weak_explicit(lock, &open, 1, ORDER, memory_order_relaxed, memory_scope_device))
    open = 0;
  best[0] = max(best[0], v); /* HERE, OTHER */
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
