/* Wrong: one strided copy fills the first local argument and runs into the second. Right: each is copied into its
 * own. */
kernel void columns(global const int *in, global int *out, local int *first, local int *second) {
  const size_t i = get_local_id(0);
#ifdef WRONG
  second[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t loaded = async_work_group_strided_copy(first, in, 64, 2, 0); /* HERE */
#else
  event_t loaded = async_work_group_strided_copy(first, in, 32, 2, 0);
  loaded = async_work_group_strided_copy(second, in + 64, 32, 2, loaded);
#endif
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = first[i] - second[i];
}
