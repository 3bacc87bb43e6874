// Tiles of 8 by 8 are transposed in a loop. Each iteration has a barrier between the writes and the copy, with -D WRONG
// only the first.
void place(local float4 *tile, float4 v) { tile[8 * (get_local_id(0) % 8) + get_local_id(0) / 8] = v; /* OTHER */ }

kernel void transpose(global const float4 *in, global float4 *out) {
  local float4 tile[64];
  for (int t = 0; t < 4; t++) {
    place(tile, in[64 * t + get_local_id(0)]);
#ifdef WRONG
    if (t == 0)
#endif
      barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy_2D2D(out, 8 * t, tile, 0, 16, 8, 8, 8, 32, 0); /* HERE */
    wait_group_events(1, &e);
  }
}
