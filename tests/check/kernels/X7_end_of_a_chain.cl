// Pieces pass through one tile, in and out, with copy fences between; at the end the tile is written after all copies
// are complete, with -D WRONG while the last of them is still in flight.
#ifdef WRONG
#define FIRST_WAIT 7
#else
#define FIRST_WAIT 8
#endif

kernel void chain(global const float *in, global float *out) {
  local float tile[64];
  event_t e[8];
  for (int k = 0; k < 4; k++) {
    e[2 * k] = async_work_group_copy(tile, in + 64 * k, 64, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e[2 * k + 1] = async_work_group_copy(out + 64 * k, tile, 64, 0); /* OTHER */
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  }
  wait_group_events(FIRST_WAIT, e);
  tile[get_local_id(0)] = 0; /* HERE */
  wait_group_events(8 - FIRST_WAIT, e + FIRST_WAIT);
}
