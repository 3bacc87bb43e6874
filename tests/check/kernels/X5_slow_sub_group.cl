// Some work-items are late to a loop of many copies, none of which waits; the tile is read after the wait, with -D
// WRONG before it.
kernel void many(global const int *in, global int *out) {
  local int tile[128];
  uint l = get_local_id(0), delay = l < 64 ? 1 : 200;
  int v = l;
  for (uint k = 0; k < delay; k++)
    v = v * 5 + 1;
  event_t e = 0;
  for (uint k = 0; k < 32; k++)
    e = async_work_group_copy(tile + 4 * k, in + 8 * k, 4, e); /* OTHER */
#ifndef WRONG
  wait_group_events(1, &e);
#endif
  v += tile[127 - l]; /* HERE */
#ifdef WRONG
  wait_group_events(1, &e);
#endif
  out[l] = v;
}
