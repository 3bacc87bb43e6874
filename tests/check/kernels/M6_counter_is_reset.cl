// The last work-item to count itself resets the counter with an ordinary write, because it comes after all others; with
// -D WRONG they count relaxed.
#ifdef WRONG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acq_rel
#endif

kernel void count(global atomic_uint *done, global uint *out) {
  if (get_local_id(0) == 0 &&
      atomic_fetch_add_explicit(done, 1, ORDER, memory_scope_device) == get_num_groups(0) - 1) /* OTHER */
    *(global uint *)done = 0; /* HERE */
  out[get_global_id(0)] = get_global_id(0);
}
