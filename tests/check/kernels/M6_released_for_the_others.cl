// All work-items of a group leave a word, and one of them, much later, raises a flag for another group. -D WRONG omits
// the barrier between: the one does not release what the others have written.
kernel void send(global int *words, global atomic_int *flag, global int *out) {
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    words[l] = 3 * l; /* OTHER */
#ifndef WRONG
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (l == 127) {
      int slow = 0;
      for (int k = 0; k < 200; k++)
        slow += out[256 + slow + k];
      atomic_store_explicit(flag, 1 + slow, memory_order_release, memory_scope_device);
    }
    return;
  }
  if (l == 0)
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[l] = words[l % 64]; /* HERE */
}
