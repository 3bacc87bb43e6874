/* Wrong: the copy of int4 begins at the second int of the tile. Right: at the fifth one, where an int4 may begin. */
kernel void shift(global const int4 *in, global int *out) {
  local int tile[68] __attribute__((aligned(16)));
  const size_t i = get_local_id(0);
#ifdef WRONG
  local int *to = tile + 1;
#else
  local int *to = tile + 4;
#endif
  event_t loaded = async_work_group_copy((local int4 *)to, in + get_group_id(0) * 16, 16, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = to[i];
}
