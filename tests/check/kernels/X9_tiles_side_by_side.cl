// Sixteen work-groups copy tiles of 8 by 8 bytes to adjacent places in an image; with -D WRONG each line is a byte too
// long, so two of them write it.
#ifdef WRONG
#define LINE 9
#else
#define LINE 8
#endif

kernel void tiles(global const uchar *in, global uchar *out) {
  local uchar tile[73];
  uint l = 8 * get_local_id(1) + get_local_id(0);
  tile[l] = in[32 * get_global_id(1) + get_global_id(0)] + 1;
  if (l < 9)
    tile[64 + l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t corner = 256 * get_group_id(1) + 8 * get_group_id(0);
  event_t e = async_work_group_copy_2D2D(out, corner, tile, 0, 1, LINE, 8, LINE, 32, 0); /* HERE, OTHER */
  wait_group_events(1, &e);
}
