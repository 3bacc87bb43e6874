// The left halves of 8 lines of 16 bytes are copied out while work-items write the right halves; with -D WRONG one byte
// further to the left.
#ifdef WRONG
#define HALF 7
#else
#define HALF 8
#endif

kernel void halves(global uchar *out) {
  local uchar tile[128];
  uint l = get_local_id(0), x = l % 8, y = l / 8;
  tile[16 * y + x] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_2D2D(out, 64 * get_group_id(0), tile, 0, 1, 8, 8, 16, 8, 0); /* OTHER */
  tile[16 * y + HALF + x] = l + 1;                                                               /* HERE */
  wait_group_events(1, &e);
}
