// The first work-item of a sub-group waits for another work-group's flag, and all of them read the message. Between the
// two, the sub-group meets at a barrier; -D WRONG omits it: what one work-item has acquired, the others have not.
kernel void send(global int *words, global atomic_int *flag, global int *out) {
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    words[l] = 3 * l; /* OTHER */
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    return;
  }
  if (l == 0)
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
      ;
#ifndef WRONG
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  out[l] = words[31 - l]; /* HERE */
}
