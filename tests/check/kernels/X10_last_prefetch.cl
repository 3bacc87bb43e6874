/* Wrong: the last iteration copies one more tile, which is never read or waited for. Right: it copies none. */
kernel void double_buffer(global const int *in, global int *out, int tiles) {
  local int tile[2][64];
  const size_t i = get_local_id(0);
  int total = 0;
  event_t loaded = async_work_group_copy(tile[0], in, 64, 0);
  for (int k = 0; k < tiles; k++) {
    wait_group_events(1, &loaded);
#ifdef WRONG
    const bool more = true;
#else
    const bool more = k + 1 < tiles;
#endif
    if (more)
      loaded = async_work_group_copy(tile[(k + 1) % 2], in + (k + 1) * 64, 64, 0);
    total += tile[k % 2][i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = total;
}
