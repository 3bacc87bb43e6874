/* Wrong: every other work-item fences only the LDS. Right: all fence both memories. */
kernel void through_global(global const float *in, global float *there, global float *out) {
  local float tile[32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 32;
  tile[i] = in[at + i] * 2.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t moved = async_work_group_copy(there + at, tile, 32, 0);
#ifdef WRONG
  async_work_group_copy_fence(i % 2 ? CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* HERE */
#else
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
  moved = async_work_group_copy(tile, there + at, 32, moved);
  wait_group_events(1, &moved);
  out[at + i] = tile[31 - i];
}
