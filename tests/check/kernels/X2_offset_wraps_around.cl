/* Each work-group copies 4 lines of 4 words from further and further back. With -D WRONG the offset in words is
 * negative in all but the first: times 4 it would wrap around to bytes of the buffer, but an offset has no sign. Right:
 * the pointer moves back, and the offset stays. */
kernel void lines(global const uint *in, global uint *out) {
  local uint tile[16];
  const size_t i = get_local_id(0), back = 16 * get_group_id(0);
#ifdef WRONG
  event_t e = async_work_group_copy_2D2D(tile, 0, in + 48, 0 - back, 4, 4, 4, 4, 4, 0); /* HERE */
#else
  event_t e = async_work_group_copy_2D2D(tile, 0, in + 48 - back, 0, 4, 4, 4, 4, 4, 0);
#endif
  wait_group_events(1, &e);
  out[get_global_id(0)] = tile[i];
}
