// The work-items of one sub-group read what those of another have written, and report their sums to each other: a
// meeting, but no fence. A copy refills the tile after a barrier, with -D WRONG after only the meeting.
kernel void totals(global const uint *in, global uint *out) {
  local uint tile[128];
  uint l = get_local_id(0);
  tile[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = work_group_reduce_add(tile[(l + 64) % 128]); /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  event_t e = async_work_group_copy(tile, in + 128, 128, 0); /* HERE */
  wait_group_events(1, &e);
  out[l] = sum + tile[127 - l];
}
