// With -D WRONG the work-items add the tile after the one for which they have waited; the tile that they have read is
// refilled after a barrier.
#ifdef WRONG
#define AHEAD 1
#else
#define AHEAD 0
#endif

kernel void sums(global const float *in, global float *out, uint tiles) {
  local float tile[3][64];
  event_t e[3];
  float sum = 0;
  for (uint t = 0; t < tiles + 2; t++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < tiles)
      e[t % 3] = async_work_group_copy(tile[t % 3], in + 64 * t, 64, 0); /* OTHER */
    if (t < 2)
      continue;
    wait_group_events(1, &e[(t - 2) % 3]);
    sum += tile[(t - 2 + AHEAD) % 3][get_local_id(0)]; /* HERE */
  }
  out[get_local_id(0)] = sum;
}
