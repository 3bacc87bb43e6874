// Work-groups leave partial sums and the last one to count itself adds them up: a fence is before the count, and the
// barrier after it is also one; -D WRONG omits the fence before.
kernel void total(global const int *in, global int *parts, global int *done, global int *out) {
  local int sum, last;
  uint l = get_local_id(0);
  if (l == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, in[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    parts[get_group_id(0)] = sum; /* OTHER */
#ifndef WRONG
    mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
    last = atomic_inc(done) == get_num_groups(0) - 1;
    sum = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last)
    return;
  if (l < get_num_groups(0))
    atomic_add(&sum, parts[l]); /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    out[0] = sum;
}
