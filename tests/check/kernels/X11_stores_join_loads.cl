/* Wrong: the store of planes joins the event of the loads, which is released. Right: it makes a new event. */
kernel void flip(global const int *in, global int *out) {
  local int from[2 * 4 * 4], to[2 * 4 * 4];
  const size_t i = get_local_id(0);
  event_t event[2];
  event[0] = async_work_group_copy_3D3D(from, 0, in, 0, sizeof(int), 4, 4, 2, 8, 64, 4, 16, 0);
  wait_group_events(1, event);
  to[i] = from[31 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  event[1] = async_work_group_copy_3D3D(out, 0, to, 0, sizeof(int), 4, 4, 2, 4, 16, 8, 64, event[0]); /* HERE */
#else
  event[1] = async_work_group_copy_3D3D(out, 0, to, 0, sizeof(int), 4, 4, 2, 4, 16, 8, 64, 0);
#endif
  wait_group_events(1, event + 1);
}
