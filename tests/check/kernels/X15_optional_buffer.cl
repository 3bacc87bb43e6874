/* Wrong: the optional buffer is copied although it is missing. Right: it is not copied. */
kernel void add(global const int *in, global const int *optional, global int *out) {
  local int tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  tile[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t count = 64;
#else
  const size_t count = optional ? 64 : 0;
#endif
  event_t loaded = async_work_group_copy(tile, optional, count, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[at + i] = in[at + i] + tile[i];
}
