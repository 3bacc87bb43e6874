// One copy fills the tile and the next empties it: between them is a fence for the LDS, with -D WRONG one for global
// memory.
#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

kernel void move(global const float4 *in, global float4 *out) {
  local float4 tile[32];
  size_t first = 32 * get_group_id(0);
  event_t e = async_work_group_copy(tile, in + first, 32, 0); /* OTHER */
  async_work_group_copy_fence(FENCE);
  e = async_work_group_copy(out + first, tile, 32, e); /* HERE */
  wait_group_events(1, &e);
}
