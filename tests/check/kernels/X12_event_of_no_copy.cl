/* Wrong: a work-group that has nothing to store waits for its null event. Right: it does not wait. */
kernel void store_some(global const uint2 *in, global uint2 *out, uint groups) {
  local uint2 tile[32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 32;
  event_t stored = 0;
  tile[i] = in[at + i].yx;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(0) < groups)
    stored = async_work_group_copy(out + at, tile, 32, stored);
#ifndef WRONG
  if (get_group_id(0) < groups)
#endif
    wait_group_events(1, &stored); /* HERE */
}
