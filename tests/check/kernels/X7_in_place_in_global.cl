// One copy reads a page of global memory and the next writes another tile over it: with a fence for global memory
// between, with -D WRONG for the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void pages(global half *data) {
  local half old[128], new[128];
  for (uint i = get_local_id(0); i < 128; i += 32)
    new[i] = (half)i + (half)0.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(old, data, 128, 0); /* OTHER */
  async_work_group_copy_fence(FENCE);
  e = async_work_group_copy(data, new, 128, e); /* HERE */
  wait_group_events(1, &e);
  data[128 + get_local_id(0)] = old[get_local_id(0)];
}
