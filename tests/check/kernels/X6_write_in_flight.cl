// A work-item sets the last word of the tile: with -D WRONG while the copy of all words is in flight, otherwise after
// the wait, when only a barrier for the readers is needed.
kernel void scale(global const int *in, global int *out) {
  local int tile[64];
  size_t first = 64 * get_group_id(0), l = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + first, 64, 0); /* OTHER */
#ifndef WRONG
  wait_group_events(1, &e);
#endif
  if (l == 5)
    tile[63] = -1; /* HERE */
#ifdef WRONG
  wait_group_events(1, &e);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + l] = tile[63 - l];
}
