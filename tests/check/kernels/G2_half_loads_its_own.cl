/* Wrong: each half of the work-group copies its half of the tile, in its own branch. Right: all copy both halves. */
kernel void reverse(global const uchar *in, global uchar *out) {
  local uchar tile[32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 32;
#ifdef WRONG
  if (i < 16) { /* OTHER */
    event_t left = async_work_group_copy(tile, in + at, 16, 0);
    wait_group_events(1, &left);
  } else {
    event_t right = async_work_group_copy(tile + 16, in + at + 16, 16, 0);
    wait_group_events(1, &right);
  }
#else
  event_t both = async_work_group_copy(tile, in + at, 16, 0);
  both = async_work_group_copy(tile + 16, in + at + 16, 16, both);
  wait_group_events(1, &both);
#endif
  out[at + i] = tile[i ^ 15];
}
