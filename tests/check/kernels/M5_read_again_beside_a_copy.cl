// One work-item reads a word, then another does, in two iterations; after the wait for an unrelated copy a third one
// writes it. -D WRONG omits the barrier between: the first reader's second iteration races with the write.
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
