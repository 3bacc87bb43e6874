// Work-groups copy the same words in and out in turn, each after the previous one; with -D WRONG they do so at any
// time, each in its own place, which is half a line too close to the next.
kernel void sum(global const short *in, global atomic_int *turn, global short *out) {
  local short tile[16];
  uint l = get_local_id(0);
#ifdef WRONG
  out += 8 * get_group_id(0);
#else
  if (l == 0)
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_device) != get_group_id(0))
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  if (l < 16)
    tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(out, tile, 16, 0); /* HERE, OTHER */
  wait_group_events(1, &e);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (l == 0)
    atomic_fetch_add_explicit(turn, 1, memory_order_release, memory_scope_device);
}
