/* Wrong: the caller waits again for the event that its helper has waited for. Right: only the helper waits. */
enum { WIDTH = 16, LINES = 4, PITCH = 20 };

static event_t fetch(local int *tile, global const int *in) {
  event_t loaded = async_work_group_copy_2D2D(tile, 0, in, 2, sizeof(int), WIDTH, LINES, PITCH, WIDTH, 0);
  wait_group_events(1, &loaded);
  return loaded;
}

kernel void transpose(global const int *in, global int *out) {
  local int tile[WIDTH * LINES];
  const size_t x = get_local_id(0), y = get_local_id(1);
  event_t loaded = fetch(tile, in);
#ifdef WRONG
  wait_group_events(1, &loaded); /* HERE */
#endif
  out[x * LINES + y] = tile[y * WIDTH + x];
}
