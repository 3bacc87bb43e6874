// Tiles of 8 by 8 bytes are copied to adjacent places in an image while each work-group reads the column to the left of
// its own: from the input, or with -D WRONG from the image, where the neighbor's copy writes it.
#ifdef WRONG
#define HALO image
#else
#define HALO in
#endif

kernel void blur(global const uchar *in, global uchar *image, global uchar *out) {
  local uchar tile[64];
  uint x = get_local_id(0), y = get_local_id(1), at = 32 * get_global_id(1) + get_global_id(0);
  size_t corner = 256 * get_group_id(1) + 8 * get_group_id(0);
  tile[8 * y + x] = in[at] ^ 0x55;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_2D2D(image, corner, tile, 0, 1, 8, 8, 8, 32, 0); /* OTHER */
  uchar left = 0;
  if (x == 0 && get_group_id(0) > 0)
    left = HALO[at - 1]; /* HERE */
  wait_group_events(1, &e);
  out[at] = left + tile[8 * y + x];
}
