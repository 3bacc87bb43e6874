/* Wrong: every other work-item requests one element less of the tile. Right: all request the same number. */
kernel void increment(global const float *in, global float *out) {
  local float tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
#ifdef WRONG
  const size_t count = 64 - i % 2;
#else
  const size_t count = 64;
#endif
  event_t loaded = async_work_group_copy(tile, in + at, count, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[at + i] = tile[i] + 1.0f;
}
