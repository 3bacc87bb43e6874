// A loop reads a word of a tile before a barrier and the copy into the tile, and again after it, only in one sub-group,
// for which the others wait; with -D WRONG that is before the wait for the copy.
kernel void turns(global const int *in, global int *out) {
  local int tile[128];
  uint l = get_local_id(0);
  int sum = 0;
  event_t event = 0;
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 2; k++) {
    if (k == 0 || l >= 64)
      sum += tile[3]; /* HERE */
    if (k == 0) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < 64)
        for (int i = 0; i < 300; i++)
          sum += in[sum + i];
      event = async_work_group_copy(tile, in, 128, event); /* OTHER */
#ifndef WRONG
      wait_group_events(1, &event);
#endif
    }
  }
#ifdef WRONG
  wait_group_events(1, &event);
#endif
  out[l] = sum;
}
