/* Wrong: the wait for the rest of a list also counts the events before it. Right: only the rest. */
kernel void ring(global const short2 *in, global short2 *out, int depth) {
  local short2 tile[3 * 16];
  const size_t i = get_local_id(0);
  event_t loaded[3];
  for (int k = 0; k < 3; k++)
    loaded[k] = async_work_group_strided_copy(tile + k * 16, in + k, 16, 3, 0);
  wait_group_events(1, loaded);
#ifdef WRONG
  wait_group_events(depth, loaded + 1); /* HERE */
#else
  wait_group_events(depth - 1, loaded + 1);
#endif
  out[i] = tile[i] + tile[16 + i] + tile[32 + i];
}
