// Two copies write one place, the second after a fence for global memory; with -D WRONG the fence is for the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void last_wins(global const int3 *in, global int3 *out) {
  local int3 first[32], second[32];
  uint l = get_local_id(0);
  first[l] = in[l];
  second[l] = in[get_global_id(0) + 64];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(out + 32 * get_group_id(0), first, 32, 0); /* OTHER */
  async_work_group_copy_fence(FENCE);
  e = async_work_group_copy(out + 32 * get_group_id(0), second, 32, e); /* HERE */
  wait_group_events(1, &e);
}
