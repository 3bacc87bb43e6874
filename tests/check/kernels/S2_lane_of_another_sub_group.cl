/* The last value of the work-group goes to all. With -D WRONG its number in the work-group names a lane; otherwise its
 * number in the sub-group does. */
kernel void last(global const int *in, global int *out) {
  uint i = get_local_id(0);
#ifdef WRONG
  uint lane = get_local_size(0) - 1;
#else
  uint lane = get_sub_group_size() - 1;
#endif
  out[i] = sub_group_broadcast(in[i], lane); /* HERE */
}
