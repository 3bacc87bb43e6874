// A tile is copied out to global memory and back into another tile: the fence between the copies is for global memory,
// with -D WRONG only for the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void trip(global const short *in, global short *between, global short *out) {
  local short near[64], far[64];
  size_t first = 64 * get_group_id(0), l = get_local_id(0);
  near[l] = in[first + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e[2];
  e[0] = async_work_group_copy(between + first, near, 64, 0); /* OTHER */
  async_work_group_copy_fence(FENCE);
  e[1] = async_work_group_copy(far, between + first, 64, 0); /* HERE */
  wait_group_events(2, e);
  out[first + l] = far[63 - l];
}
