/* Sub-groups sum their positive values. With -D WRONG only work-items that have one call the sum; otherwise all do. */
kernel void sums(global const int *in, global int *out) {
  uint i = get_global_id(0);
  int x = in[i] - 20, sum = 0;
#ifdef WRONG
  if (x > 0)                      /* OTHER */
    sum = sub_group_reduce_add(x); /* HERE */
#else
  sum = sub_group_reduce_add(max(x, 0));
  if (i % 2)
    sum += sub_group_non_uniform_reduce_add(x);
#endif
  out[i] = sum;
}
