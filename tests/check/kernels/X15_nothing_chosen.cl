/* Wrong: the source is null if no candidate is chosen. Right: the first one is used then. */
static global const float *choose(global const float *a, global const float *b, int which) {
#ifdef WRONG
  return which == 1 ? a : which == 2 ? b : 0;
#else
  return which == 2 ? b : a;
#endif
}

kernel void load(global const float *a, global const float *b, global float *out, int which) {
  local float tile[4 * 16];
  const size_t i = get_local_id(0);
  tile[i] = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t loaded = async_work_group_copy_2D2D(tile, 0, choose(a, b, which), 0, 4, 16, 4, 20, 16, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[i] = tile[i];
}
