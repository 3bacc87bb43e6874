/* The copy engine accepts only lines of 16 bytes. Wrong: the tile begins one element into the buffer. Right: it begins
 * where the engine can read, and the work-items skip the first element. */
kernel void drop_first(global const float *in, global float *out) {
  local float tile[68];
  const size_t i = get_local_id(0);
#ifdef WRONG
  event_t loaded = async_work_group_copy(tile, in + 1, 64, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[i] = tile[i];
#else
  event_t loaded = async_work_group_copy(tile, in, 68, 0);
  wait_group_events(1, &loaded);
  out[i] = tile[i + 1];
#endif
}
