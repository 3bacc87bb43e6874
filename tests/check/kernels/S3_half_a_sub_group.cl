/* The last sub-group has 16 work-items. Each work-item asks whether the lane behind it has a larger value. With -D WRONG
 * the last lane also asks; otherwise its size bounds the lane. */
kernel void larger(global const int *in, global int *out) {
  uint i = get_local_id(0), lane = get_sub_group_local_id();
  int x = in[i];
#ifdef WRONG
  uint from = lane + 1;
#else
  uint from = min(lane + 1, get_sub_group_size() - 1);
#endif
  if (sub_group_shuffle(x, from) > x) /* HERE */
    out[i] = 1;
}
