/* Wrong: the wait is for two events, but the pointer has room for one. Right: for one. */
kernel void negate(global const int *in, global int *out) {
  local int tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  event_t loaded = async_work_group_copy(tile, in + at, 64, 0);
#ifdef WRONG
  wait_group_events(2, &loaded); /* HERE */
#else
  wait_group_events(1, &loaded);
#endif
  out[at + i] = -tile[i];
}
