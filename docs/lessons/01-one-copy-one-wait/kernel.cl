kernel void one_copy(global const float *in, global float *out) {
  local float tile[FLOATS];
  event_t loaded = async_work_group_copy(tile, in, FLOATS, 0);
  wait_group_events(1, &loaded);
  uint i = get_local_id(0);
  out[i] = 2 * tile[i];
}
