/* Differences to the left neighbor. With -D WRONG also in lane 0, which has none; otherwise 0 there. */
kernel void differences(global const int *in, global int *out) {
  uint i = get_global_id(0);
  int left = sub_group_shuffle_up(in[i], 1); /* HERE */
#ifndef WRONG
  left = get_sub_group_local_id() ? left : in[i];
#endif
  out[i] = in[i] - left; /* OTHER */
}
