// All work-items read a word, which one of them then changes: between them is a barrier of the work-group, with -D
// WRONG one of the sub-group and a meeting without a fence.
kernel void broadcast(global int *out) {
  local int word;
  uint l = get_local_id(0);
  if (l == 0)
    word = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = word; /* OTHER */
#ifdef WRONG
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  barrier(0);
#else
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (l == 0)
    word = 6; /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = v + word;
}
