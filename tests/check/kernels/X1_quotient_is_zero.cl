/* Wrong: the stride is a quotient rounded down to 0. Right: it is rounded up. */
kernel void sample(global const float3 *in, global float3 *out, uint elements, uint samples) {
  local float3 tile[32];
  const size_t i = get_local_id(0);
#ifdef WRONG
  const uint stride = elements / samples;
#else
  const uint stride = (elements + samples - 1) / samples;
#endif
  event_t loaded = async_work_group_strided_copy(tile, in, 32, stride, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[i] * 2.0f;
}
