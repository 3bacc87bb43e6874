/* Wrong: the kernel waits for an event that no copy has made. Right: a copy has made it. */
kernel void reversed(global const int *in, global int *out) {
  local int tile[64];
  local int flipped[64];
  const size_t i = get_local_id(0), first = get_group_id(0) * 64;
  event_t stored, loaded = async_work_group_copy(tile, in + first, 64, 0);
  wait_group_events(1, &loaded);
  flipped[i] = tile[63 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  out[first + i] = flipped[i];
#else
  stored = async_work_group_copy(out + first, flipped, 64, 0);
#endif
  wait_group_events(1, &stored); /* HERE */
}
