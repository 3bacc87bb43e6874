// A copy of lines fills the middle of a tile while work-items may still read its left margin; with -D WRONG they read a
// column too far, which the copy fills.
#ifdef WRONG
#define COLUMN 2
#else
#define COLUMN 1
#endif

kernel void middle(global const short *in, global short *out) {
  local short tile[8 * 8];
  size_t l = get_local_id(0);
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  short left = tile[8 * (l % 8) + COLUMN]; /* OTHER */
  event_t e = async_work_group_copy_2D2D(tile, 2, in, 0, 2, 6, 8, 6, 8, 0); /* HERE */
  wait_group_events(1, &e);
  out[l] = left + tile[63 - l];
}
