// Work-items store vectors of three, packed, and a copy moves the 12 bytes of each out; with -D WRONG a fence of each
// work-item replaces the barrier.
kernel void widen(global const float *in, global float *out) {
  local float tile[96];
  uint l = get_local_id(0);
  vstore3(vload3(l, in) * 2, l, tile); /* OTHER */
#ifdef WRONG
  mem_fence(CLK_LOCAL_MEM_FENCE);
#else
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  event_t e = async_work_group_copy_2D2D(out, 0, tile, 0, 4, 3, 32, 3, 4, 0); /* HERE */
  wait_group_events(1, &e);
}
