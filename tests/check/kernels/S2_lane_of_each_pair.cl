/* Each work-item reads its pair's first value. With -D WRONG it names the lane in a broadcast, where all must name one;
 * otherwise in a shuffle. */
kernel void pairs(global const int *in, global int *out) {
  uint i = get_global_id(0), first = get_sub_group_local_id() & ~1u;
#ifdef WRONG
  out[i] = sub_group_broadcast(in[i], first); /* HERE */
#else
  out[i] = sub_group_shuffle(in[i], first) + sub_group_broadcast(in[i], 1);
#endif
}
