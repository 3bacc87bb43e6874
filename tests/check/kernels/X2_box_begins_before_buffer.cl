/* Wrong: a box with a border starts a plane before the buffer because its offset is negative. Right: it starts at the
 * buffer. */
kernel void box(global const uchar *in, global uchar *out) {
  local uchar tile[2 * 4 * 8];
  const size_t i = get_local_id(0);
  tile[i] = 255;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t first = (size_t)0 - 64;
#else
  const size_t first = 0;
#endif
  event_t loaded = async_work_group_copy_3D3D(tile, 0, in, first, 1, 8, 4, 2, 16, 64, 8, 32, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[i] = tile[i];
}
