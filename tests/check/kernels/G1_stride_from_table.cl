/* Wrong: each work-item passes the stride at its own place in the table. Right: all read it at the same
 * place. */
kernel void scatter(global const ushort *in, global const ushort *extra, global ushort *out) {
  local ushort tile[64];
  const size_t i = get_local_id(0);
  tile[i] = in[i] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t stride = 1 + extra[i];
#else
  const size_t stride = 1 + extra[2];
#endif
  event_t stored = async_work_group_strided_copy(out, tile, 64, stride, 0); /* HERE */
  wait_group_events(1, &stored);
}
