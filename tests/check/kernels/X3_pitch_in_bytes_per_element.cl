/* Wrong: the line length is divided by the element size, though it counts elements. Right: it is not. */
kernel void box(global const int *in, global int *out) {
  local int tile[2 * 4 * 8];
  const size_t i = get_local_id(0);
#ifdef WRONG
  const size_t line = 16 / sizeof(int);
#else
  const size_t line = 16;
#endif
  event_t loaded = async_work_group_copy_3D3D(tile, 0, in, 0, sizeof(int), 8, 4, 2, line, 64, 8, 32, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[i] = tile[i];
}
