/* Wrong: the copy fills more than the host has allocated for the local argument. Right: exactly that. */
kernel void reverse(global const float4 *in, global float4 *out, local float4 *tile) {
  const size_t i = get_local_id(0);
#ifdef WRONG
  const size_t count = 33;
#else
  const size_t count = 32;
#endif
  event_t loaded = async_work_group_copy(tile, in + get_group_id(0) * 32, count, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[get_global_id(0)] = tile[31 - i];
}
