/* Wrong: a barrier with both fences stands in place of the wait. Right: a wait, because a barrier completes no
 * copy. */
kernel void store_column(global const float4 *in, global float4 *out) {
  local float4 column[32];
  const size_t i = get_local_id(0), group = get_group_id(0);
  column[i] = in[group * 32 + i].wzyx;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t stored = async_work_group_strided_copy(out + group, column, 32, 3, 0);
#ifdef WRONG
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#else
  wait_group_events(1, &stored);
#endif
}
