/* Wrong: the last work-group copies a whole tile, but the buffer has only a part of it. Right: it copies that
 * part. */
kernel void increment(global const int *in, global int *out, uint n) {
  local int tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
#ifdef WRONG
  const size_t count = 64;
#else
  const size_t count = min((size_t)64, n - at);
#endif
  event_t loaded = async_work_group_copy(tile, in + at, count, 0); /* HERE */
  wait_group_events(1, &loaded);
  if (at + i < n)
    out[at + i] = tile[i] + 1;
}
