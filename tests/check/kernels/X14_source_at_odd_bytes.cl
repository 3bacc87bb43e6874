/* Wrong: the copy of ints begins at byte 2 of the buffer. Right: the copy of shorts does. */
kernel void load(global const char *in, global int *out) {
  local int tile[32];
  const size_t i = get_local_id(0), at = 2 + get_group_id(0) * 128;
#ifdef WRONG
  event_t loaded = async_work_group_copy(tile, (global const int *)(in + at), 32, 0); /* HERE */
#else
  event_t loaded = async_work_group_copy((local short *)tile, (global const short *)(in + at), 64, 0);
#endif
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[i];
}
