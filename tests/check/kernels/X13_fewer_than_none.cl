/* Wrong: without a first copy, the wait before it is for -1 events. Right: for none. */
kernel void running(global const float *in, global float *out, int under_way) {
  local float tile[32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 32;
  event_t loaded = 0;
#ifdef WRONG
  wait_group_events(under_way - 1, &loaded); /* HERE */
#else
  wait_group_events(under_way, &loaded);
#endif
  loaded = async_work_group_copy_2D2D(tile, 0, in, at, sizeof(float), 8, 4, 8, 8, 0);
  wait_group_events(1, &loaded);
  out[at + i] = tile[i] + 0.5f;
}
