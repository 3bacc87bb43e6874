/* Wrong: the second copy gets the event of the first one, which the wait has released. Right: it gets
 * none. */
kernel void add(global const int *a, global const int *b, global int *out) {
  local int left[64], right[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  event_t loaded = async_work_group_copy(left, a + at, 64, 0);
  wait_group_events(1, &loaded);
#ifdef WRONG
  loaded = async_work_group_copy(right, b + at, 64, loaded); /* HERE */
#else
  loaded = async_work_group_copy(right, b + at, 64, 0);
#endif
  wait_group_events(1, &loaded);
  out[at + i] = left[i] + right[i];
}
