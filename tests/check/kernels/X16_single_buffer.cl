// A loop waits for a tile, reads it, and copies the next one over it after a barrier; -D WRONG omits the barrier. The
// wait covers only the previous copy, not the readers.
kernel void sums(global const float *in, global float *out, uint tiles) {
  local float tile[64];
  size_t l = get_local_id(0);
  float sum = 0;
  for (uint t = 0; t < tiles; t++) {
    event_t e = async_work_group_copy(tile, in + 64 * t, 64, 0); /* HERE */
    wait_group_events(1, &e);
    sum += tile[l] * tile[(l + 1) % 64]; /* OTHER */
#ifndef WRONG
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
  out[l] = sum;
}
