/* Wrong: stride 0 is meant to put one element into all of the tile. Right: each work-item reads it from a copy of one
 * element. */
kernel void broadcast(global const ulong *in, global ulong *out) {
  local ulong tile[32];
  const size_t i = get_local_id(0), group = get_group_id(0);
#ifdef WRONG
  event_t loaded = async_work_group_strided_copy(tile, in + group, 32, 0, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[i] + i;
#else
  event_t loaded = async_work_group_strided_copy(tile, in + group, 1, 1, 0);
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[0] + i;
#endif
}
