/* Wrong: the last of the strided elements lies beyond the buffer. Right: the stride is one less, and they fit. */
kernel void spread(global const uint *in, global uint *out) {
  local uint tile[64];
  const size_t i = get_local_id(0);
  tile[i] = in[i] + 7;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t stride = 4;
#else
  const size_t stride = 3;
#endif
  event_t stored = async_work_group_strided_copy(out, tile, 64, stride, 0); /* HERE */
  wait_group_events(1, &stored);
}
