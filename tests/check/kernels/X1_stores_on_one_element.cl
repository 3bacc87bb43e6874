/* Wrong: in its first iteration the loop stores at stride 0, all on one element. Right: its strides start at 1. */
kernel void spread(global const uchar *in, global uchar *out) {
  local uchar tile[32];
  const size_t i = get_local_id(0);
  tile[i] = in[i] ^ 0x55;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t first = 0;
#else
  const size_t first = 1;
#endif
  for (size_t stride = first; stride < 3; stride++) {
    event_t stored = async_work_group_strided_copy(out + stride * 128, tile, 32, stride, 0); /* HERE */
    wait_group_events(1, &stored);
  }
}
