/* Rotations. With -D WRONG each work-item passes a distance of its own; otherwise all pass the same. */
kernel void turn(global const int *in, global int *out) {
  uint i = get_global_id(0);
#ifdef WRONG
  int distance = in[i] % 3;
#else
  int distance = in[0] + 3;
#endif
  out[i] = sub_group_rotate(in[i], distance); /* HERE */
}
