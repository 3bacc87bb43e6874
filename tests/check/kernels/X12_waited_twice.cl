/* Wrong: the event is waited for a second time when it is already released. Right: once. */
kernel void square(global const float *in, global float *out) {
  local float tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  event_t loaded = async_work_group_copy(tile, in + at, 64, 0);
  wait_group_events(1, &loaded);
  out[at + i] = tile[i] * tile[i];
#ifdef WRONG
  wait_group_events(1, &loaded); /* HERE */
#endif
}
