/* Wrong: the strided store of float2 begins at the second float of the buffer. Right: at the third one. */
kernel void store(global const float2 *in, global float *out) {
  local float2 tile[32];
  const size_t i = get_local_id(0);
  tile[i] = in[i].yx;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  global float *to = out + 1;
#else
  global float *to = out + 2;
#endif
  event_t stored = async_work_group_strided_copy((global float2 *)to, tile, 32, 2, 0); /* HERE */
  wait_group_events(1, &stored);
}
