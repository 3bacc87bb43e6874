// Work-items clear the tile and a copy fills its middle lines. A barrier with a local fence separates the two; with -D
// WRONG the barrier fences only global memory.
#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

kernel void frame(global const uint *in, global uint *out) {
  local uint tile[64];
  size_t group = get_group_id(0), l = get_local_id(0);
  tile[l] = 0; /* HERE */
  barrier(FENCE);
  event_t e = async_work_group_copy_2D2D(tile, 9, in, 32 * group, 4, 6, 4, 8, 8, 0); /* OTHER */
  wait_group_events(1, &e);
  out[64 * group + l] = tile[l];
}
