// Two tiles: while one is read, a copy fills the other, which was read an iteration before. A barrier ends each
// iteration; -D WRONG omits it.
kernel void sums(global const int *in, global int *out, uint tiles) {
  local int tile[2][96];
  size_t l = get_local_id(0);
  event_t e[2];
  int sum = 0;
  e[0] = async_work_group_copy(tile[0], in, 96, 0);
  for (uint t = 0; t < tiles; t++) {
    if (t + 1 < tiles)
      e[(t + 1) % 2] = async_work_group_copy(tile[(t + 1) % 2], in + 96 * (t + 1), 96, 0); /* HERE */
    wait_group_events(1, &e[t % 2]);
    sum += tile[t % 2][95 - l]; /* OTHER */
#ifndef WRONG
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
  out[l] = sum;
}
