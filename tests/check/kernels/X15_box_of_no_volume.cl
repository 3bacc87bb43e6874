/* Wrong: a box of a missing volume is stored, with the usual number of planes. Right: with none. */
kernel void store(global const int2 *in, global int2 *volume, global int2 *out) {
  local int2 box[2 * 4 * 4];
  const size_t i = get_local_id(0);
  box[i] = in[i] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t planes = 2;
#else
  const size_t planes = volume ? 2 : 0;
#endif
  event_t stored = async_work_group_copy_3D3D(volume, 0, box, 0, 8, 4, 4, planes, 4, 16, 8, 64, 0); /* HERE */
  wait_group_events(1, &stored);
  out[i] = box[i];
}
