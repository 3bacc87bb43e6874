// Work-items leave results in the buffer that they have read, and a copy refills it. The copy issues after a barrier,
// with -D WRONG just before they write.
kernel void pipeline(global const float2 *in, global float2 *out, uint tiles) {
  local float2 tile[2][32];
  uint l = get_local_id(0);
  event_t e[2];
  e[0] = async_work_group_copy(tile[0], in, 32, 0);
  e[1] = async_work_group_copy(tile[1], in + 32, 32, 0);
  float2 sum = 0;
  for (uint t = 0; t < tiles; t++) {
    wait_group_events(1, &e[t % 2]);
    float2 v = tile[t % 2][l];
#ifdef WRONG
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t + 2 < tiles)
      e[t % 2] = async_work_group_copy(tile[t % 2], in + 32 * (t + 2), 32, 0); /* OTHER */
#endif
    tile[t % 2][l] = v * v; /* HERE */
    sum += v;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifndef WRONG
    if (t + 2 < tiles)
      e[t % 2] = async_work_group_copy(tile[t % 2], in + 32 * (t + 2), 32, 0);
#endif
  }
  out[l] = sum + tile[0][31 - l];
}
