// The work-items of a sub-group read a word in turn, with a sub-group barrier before each read; with -D WRONG there is
// none between the last reader and the writer.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void turns(global int *out) {
  local int word;
  uint l = get_local_id(0);
  int sum = 0;
  if (l == 0)
    word = 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 4; k++) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l == k)
      sum += word; /* OTHER */
  }
#ifndef WRONG
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (l == 0)
    word = sum; /* HERE */
  out[l] = sum;
}
