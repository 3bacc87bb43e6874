// Work-items of one work-group write what another one copies in; a flag hands it over, between barriers whose scope is the
// device; with -D WRONG there is no fence before the flag.
kernel void relay(global int *between, global int *flag, global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    between[l] = 4 * l; /* HERE */
#ifdef WRONG
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
#endif
    if (l == 0)
      atomic_xchg(flag, 1);
    return;
  }
  if (l == 0)
    while (atomic_add(flag, 0) == 0)
      ;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  event_t e = async_work_group_copy(tile, between, 64, 0); /* OTHER */
  wait_group_events(1, &e);
  out[l] = tile[63 - l];
}
