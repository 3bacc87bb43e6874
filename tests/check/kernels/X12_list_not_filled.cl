/* Wrong: the list has a null event in place of a skipped copy. Right: the wait is for the existing
 * events. */
kernel void copy_some(global const int *in, global int *out, int more) {
  local int tile[2 * 32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  event_t none = 0, loaded[2];
  loaded[1] = none;
  int events = 0;
  loaded[events++] = async_work_group_strided_copy(tile, in + at, 32, 2, 0);
  if (more)
    loaded[events++] = async_work_group_strided_copy(tile + 32, in + at + 1, 32, 2, 0);
#ifdef WRONG
  wait_group_events(2, loaded); /* HERE */
#else
  wait_group_events(events, loaded);
#endif
  out[get_global_id(0)] = tile[i];
}
