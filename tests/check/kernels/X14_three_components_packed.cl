/* Wrong: work-groups copy int3 from places 3 ints apart, but an int3 takes the space of four. Right: they copy
 * ints. */
kernel void rgb(global const int *in, global int *out) {
  local int tile[52] __attribute__((aligned(16)));
  const size_t i = get_local_id(0), at = get_group_id(0) * 39;
#ifdef WRONG
  event_t loaded = async_work_group_copy((local int3 *)tile, (global const int3 *)(in + at), 13, 0); /* HERE */
#else
  event_t loaded = async_work_group_copy(tile, in + at, 39, 0);
#endif
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[i];
}
