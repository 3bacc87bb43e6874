/* Wrong: stride 0 is meant to say that elements are adjacent. Right: that is stride 1. */
kernel void load(global const int *in, global int *out) {
  local int tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
#ifdef WRONG
  const size_t stride = 0;
#else
  const size_t stride = 1;
#endif
  event_t loaded = async_work_group_strided_copy(tile, in + at, 64, stride, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[at + i] = tile[i] + 1;
}
