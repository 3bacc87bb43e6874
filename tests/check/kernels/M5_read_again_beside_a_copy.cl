// A word is read by one work-item and then by another, in two turns; behind the wait for a copy of something else a third
// one writes it. With -D WRONG the barrier between is gone: the first reader's second turn races with the write.
kernel void turns(global const int *in, global int *out) {
  local int words[64], tile[64];
  uint l = get_local_id(0);
  int sum = 0;
  event_t event = 0;
  words[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 2; k++) {
    if (l == 0)
      sum += words[3]; /* OTHER */
    barrier(0);
    if (k == 0) {
      if (l == 33)
        sum += words[3];
      barrier(CLK_LOCAL_MEM_FENCE);
      event = async_work_group_copy(tile, in, 64, 0);
    }
  }
  wait_group_events(1, &event);
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (l == 2)
    words[3] = sum; /* HERE */
  out[l] = sum + tile[l];
}
