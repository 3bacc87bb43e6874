// Four copies fill one tile in turn, with copy fences between; the tile is read after all are complete, with -D WRONG
// while the last of them is still in flight.
#ifdef WRONG
#define FIRST_WAIT 3
#else
#define FIRST_WAIT 4
#endif

kernel void last(global const uint *in, global uint *out) {
  local uint tile[64];
  event_t e[4];
  for (int k = 0; k < 4; k++) {
    e[k] = async_work_group_copy(tile, in + 64 * k, 64, 0); /* OTHER */
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  }
  wait_group_events(FIRST_WAIT, e);
  uint v = tile[get_local_id(0)]; /* HERE */
  wait_group_events(4 - FIRST_WAIT, e + FIRST_WAIT);
  out[get_local_id(0)] = v;
}
