/* Wrong: the source's plane area is that of the box. Right: it is that of the volume that contains the box. */
enum { WIDTH = 4, LINES = 4, PLANES = 4, LINE = 8, AREA = 64 };

kernel void cut(global const int *in, global int *out) {
  local int box[PLANES * LINES * WIDTH];
  const size_t i = get_local_id(0);
#ifdef WRONG
  const size_t area = LINES * WIDTH;
#else
  const size_t area = AREA;
#endif
  event_t loaded = async_work_group_copy_3D3D(box, 0, in, 2, sizeof(int), WIDTH, LINES, PLANES, LINE, area, /* HERE */
                                              WIDTH, LINES * WIDTH, 0);
  wait_group_events(1, &loaded);
  out[i] = box[i];
}
