/* Wrong: each work-item passes the address of its own element as the source. Right: all pass that of the work-group's
 * first element. */
kernel void scale(global const int3 *in, global int3 *out) {
  local int3 tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
#ifdef WRONG
  global const int3 *from = in + get_global_id(0);
#else
  global const int3 *from = in + at;
#endif
  event_t loaded = async_work_group_copy(tile, from, 64, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[at + i] = tile[i] * 3;
}
