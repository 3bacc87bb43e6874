/* Wrong: the work-items of each row start the copy at their row. Right: all start it at the top of the tile. */
enum { WIDTH = 16, ROWS = 4, PITCH = 24 };

static event_t load(local uint *tile, global const uint *in, size_t row) {
  return async_work_group_copy_2D2D(tile, 0, in, row * PITCH, sizeof(uint), WIDTH, ROWS, PITCH, WIDTH, 0); /* HERE */
}

kernel void rows(global const uint *in, global uint *out) {
  local uint tile[ROWS * WIDTH];
  const size_t x = get_local_id(0), y = get_local_id(1);
#ifdef WRONG
  event_t loaded = load(tile, in, y);
#else
  event_t loaded = load(tile, in, 0);
#endif
  wait_group_events(1, &loaded);
  out[y * WIDTH + x] = tile[y * WIDTH + WIDTH - 1 - x];
}
