// The work-items of a sub-group each leave a word, and the first of them raises a flag for another work-group. Before
// that, the sub-group meets at a barrier; -D WRONG omits it: the first does not release what the others have written.
kernel void send(global int *words, global atomic_int *flag, global int *out) {
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    words[l] = 3 * l; /* OTHER */
#ifndef WRONG
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (l == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    return;
  }
  while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
    ;
  out[l] = words[l]; /* HERE */
}
