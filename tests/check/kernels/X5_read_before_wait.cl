// With -D WRONG the work-items read the tile before they wait for it; otherwise after.
kernel void reverse(global const int *in, global int *out) {
  local int tile[64];
  size_t first = 64 * get_group_id(0), l = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + first, 64, 0); /* OTHER */
#ifndef WRONG
  wait_group_events(1, &e);
#endif
  int v = tile[63 - l]; /* HERE */
#ifdef WRONG
  wait_group_events(1, &e);
#endif
  out[first + l] = v;
}
