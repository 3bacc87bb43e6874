/* Wrong: planes of 4 lines are stored 3 lines apart. Right: they are stored 4 lines apart. */
kernel void store(global const short2 *in, global short2 *out) {
  local short2 box[2 * 4 * 8];
  const size_t i = get_local_id(0);
  box[i] = in[get_global_id(0)].yx;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t lines = 3;
#else
  const size_t lines = 4;
#endif
  global short2 *to = out + get_group_id(0) * 128;
  event_t stored = async_work_group_copy_3D3D(to, 0, box, 0, 4, 8, 4, 2, 8, 32, 16, lines * 16, 0); /* HERE */
  wait_group_events(1, &stored);
}
