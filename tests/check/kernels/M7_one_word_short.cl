// A copy fills a tile of 64 words, and the work-items read all; with -D WRONG it moves 63.
#ifdef WRONG
#define COUNT 63
#else
#define COUNT 64
#endif

kernel void reverse(global const int *in, global int *out) {
  local int tile[64];
  size_t first = 64 * get_group_id(0), l = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + first, COUNT, 0);
  wait_group_events(1, &e);
  out[first + l] = tile[63 - l]; /* HERE */
}
