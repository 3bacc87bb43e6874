/* A tree of shuffles leaves the sum in lane 0. With -D WRONG every lane stores its sum; otherwise only lane 0 does. */
kernel void tree(global const int *in, global int *out) {
  uint i = get_global_id(0);
  int sum = in[i];
  for (uint d = get_sub_group_size() / 2; d; d /= 2)
    sum += sub_group_shuffle_down(sum, d); /* HERE */
#ifndef WRONG
  if (get_sub_group_local_id() == 0)
#endif
    out[i] = sum; /* OTHER */
}
