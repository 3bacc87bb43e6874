// One work-item records and clears a counter before all count it up again; with -D WRONG nothing separates the plain
// accesses from the atomic additions.
kernel void multiples(global const int *in, global int *out) {
  local int count;
  uint l = get_local_id(0), group = get_group_id(0);
  if (l == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (in[get_global_id(0)] % 3 == 0)
    atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    out[2 * group] = count; /* OTHER */
    count = 0;              /* OTHER */
  }
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (in[get_global_id(0)] % 5 == 0)
    atomic_inc(&count); /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    out[2 * group + 1] = count;
}
