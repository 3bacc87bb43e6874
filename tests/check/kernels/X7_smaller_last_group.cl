// Work-groups, the last one smaller, copy their words in and change them in place: after the wait, with -D WRONG
// before.
kernel void mirror(global int *data, global int *out, uint n) {
  local int tile[64];
  uint first = 64 * get_group_id(0), l = get_local_id(0), count = min(64u, n - first);
  event_t e = async_work_group_copy(tile, data + first, count, 0); /* OTHER */
  int v = data[first + l];
#ifndef WRONG
  wait_group_events(1, &e);
#endif
  data[first + l] = v + 1; /* HERE */
#ifdef WRONG
  wait_group_events(1, &e);
#endif
  out[first + l] = tile[count - 1 - l];
}
