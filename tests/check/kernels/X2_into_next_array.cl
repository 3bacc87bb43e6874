/* Wrong: the copy is 16 elements longer than its array and runs into the next one. Right: it is as long as the array.
 * */
kernel void add(global const int *in, global int *out) {
  local int near[64], far[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  near[i] = 0;
  far[i] = in[at + i];
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t count = 80;
#else
  const size_t count = 64;
#endif
  event_t loaded = async_work_group_copy(near, in + at, count, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[at + i] = near[i] + far[63 - i];
}
