// Values are packed into a tile, which is then copied out; with -D WRONG only a scan is between the last write and the
// copy, and no barrier.
kernel void pack(global const int *in, global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  tile[63 - l] = in[get_global_id(0)]; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  int end = work_group_scan_inclusive_add(1);
  event_t e = async_work_group_copy(out + get_group_id(0) * 64, tile, 64, 0); /* HERE */
  wait_group_events(1, &e);
  if (l == 63)
    out[128 + get_group_id(0)] = end;
}
