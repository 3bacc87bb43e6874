/* Wrong: the work-group stores a tile and ends without waiting for that copy. Right: it waits for the event
 * first. */
kernel void store_tile(global const int *in, global int *out) {
  local int tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  tile[i] = in[at + i] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t stored = async_work_group_copy(out + at, tile, 64, 0);
#ifndef WRONG
  wait_group_events(1, &stored);
#endif
}
