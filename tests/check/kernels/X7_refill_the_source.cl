// The tile is copied out in each iteration and written again in the next: after the wait; with -D WRONG the wait comes
// after the writes.
kernel void steps(global const int *in, global int *out) {
  local int tile[32];
  size_t l = get_local_id(0);
  event_t e = 0;
  for (int t = 0; t < 8; t++) {
#ifndef WRONG
    if (t > 0)
      wait_group_events(1, &e);
#endif
    int v = in[32 * t + l] + t;
    tile[l] = v; /* HERE */
#ifdef WRONG
    if (t > 0)
      wait_group_events(1, &e);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + 32 * t, tile, 32, 0); /* OTHER */
  }
  wait_group_events(1, &e);
}
