/* Wrong: only the work-items that read the tile wait for it. Right: all wait, and then some read. */
kernel void columns(global const int *in, global int *out) {
  local int column[16];
  const size_t i = get_local_id(0);
  event_t loaded = async_work_group_strided_copy(column, in + get_group_id(0), 16, 4, 0);
#ifdef WRONG
  if (i < 16) {
    wait_group_events(1, &loaded); /* HERE */
    out[get_global_id(0)] = column[i];
  } else
    out[get_global_id(0)] = -1;
#else
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = i < 16 ? column[i] : -1;
#endif
}
