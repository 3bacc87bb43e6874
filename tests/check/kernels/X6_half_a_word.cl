// A copy fills the low halves of words and work-items write the high ones, byte by byte; with -D WRONG a whole word.
kernel void mixed(global const ushort *in, global uint *out) {
  local uint room[64];
  local uchar *bytes = (local uchar *)room;
  uint l = get_local_id(0);
  room[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_2D2D(room, 0, in, 0, 2, 1, 64, 1, 2, 0); /* OTHER */
#ifdef WRONG
  room[l] = l << 16; /* HERE */
#else
  bytes[4 * l + 2] = l;
  bytes[4 * l + 3] = 0;
#endif
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = room[63 - l];
}
