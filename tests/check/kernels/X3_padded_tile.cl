/* Wrong: the tile's pitch is only its padding. Right: it is a line plus its padding. */
enum { WIDTH = 8, LINES = 8, PAD = 1 };

kernel void transpose(global const float *in, global float *out) {
  local float tile[LINES * (WIDTH + PAD)];
  const size_t x = get_local_id(0), y = get_local_id(1);
#ifdef WRONG
  const size_t pitch = PAD;
#else
  const size_t pitch = WIDTH + PAD;
#endif
  tile[y * (WIDTH + PAD) + x] = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t loaded = async_work_group_copy_2D2D(tile, 0, in, 0, sizeof(float), WIDTH, LINES, WIDTH, pitch, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[x * LINES + y] = tile[y * (WIDTH + PAD) + x];
}
