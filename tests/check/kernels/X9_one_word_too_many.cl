// Two copies fill the halves of a tile; with -D WRONG the first one is a word too long.
#ifdef WRONG
#define HALF 33
#else
#define HALF 32
#endif

kernel void halves(global const int *in, global int *out) {
  local int tile[64];
  size_t first = 64 * get_group_id(0), l = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + first, HALF, 0); /* OTHER */
  e = async_work_group_copy(tile + 32, in + first, 32, e);      /* HERE */
  wait_group_events(1, &e);
  out[first + l] = tile[63 - l];
}
