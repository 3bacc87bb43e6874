// A tile of 8 by 8 bytes is copied into the middle of 10 by 10; the work-items clear the margin; with -D WRONG all but
// its last line.
#ifdef WRONG
#define CLEARED 90
#else
#define CLEARED 100
#endif

kernel void stencil(global const uchar *in, global uchar *out) {
  local uchar tile[100];
  uint l = 8 * get_local_id(1) + get_local_id(0), at = 11 + 10 * get_local_id(1) + get_local_id(0);
  event_t e = async_work_group_copy_2D2D(tile, 11, in, 0, 1, 8, 8, 16, 10, 0);
  for (uint i = l; i < CLEARED; i += 64)
    if (i < 10 || i >= 90 || i % 10 == 0 || i % 10 == 9)
      tile[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  wait_group_events(1, &e);
  uint sum = tile[at - 10] + tile[at - 1] + tile[at + 1];
  sum += tile[at + 10]; /* HERE */
  out[l] = sum / 4;
}
