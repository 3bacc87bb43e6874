// A tile is copied out, and the next one into the same place, with a fence for the LDS between; with -D WRONG the fence
// is for global memory.
#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

kernel void chain(global const int3 *in, global int3 *out) {
  local int3 tile[16];
  size_t first = 32 * get_group_id(0);
  event_t e = async_work_group_copy(tile, in + first, 16, 0);
  wait_group_events(1, &e);
  e = async_work_group_copy(out + first, tile, 16, 0); /* OTHER */
  async_work_group_copy_fence(FENCE);
  e = async_work_group_copy(tile, in + first + 16, 16, e); /* HERE */
  wait_group_events(1, &e);
  if (get_local_id(0) < 16)
    out[first + 16 + get_local_id(0)] = tile[15 - get_local_id(0)];
}
