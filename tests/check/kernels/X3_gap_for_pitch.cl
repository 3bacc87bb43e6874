/* Wrong: the source pitch is given as the gap between two lines. Right: it is the distance between line starts. */
enum { WIDTH = 16, LINES = 4, GAP = 8 };

kernel void load(global const int *in, global int *out) {
  local int tile[LINES * WIDTH];
  const size_t i = get_local_id(0);
#ifdef WRONG
  const size_t pitch = GAP;
#else
  const size_t pitch = WIDTH + GAP;
#endif
  event_t loaded = async_work_group_copy_2D2D(tile, 0, in, 0, sizeof(int), WIDTH, LINES, pitch, WIDTH, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[i];
}
