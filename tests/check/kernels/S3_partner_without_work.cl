/* Pairs exchange values. With -D WRONG only even lanes call the shuffle, so no partner is there; otherwise all call it, and
 * even lanes use the value as an index. */
kernel void partners(global const int *in, global int *out) {
  uint i = get_global_id(0), lane = get_sub_group_local_id();
  int x = in[i], other = 0;
#ifdef WRONG
  if (lane % 2 == 0)
#endif
    other = sub_group_shuffle_xor(x, 1); /* HERE */
  if (lane % 2 == 0)
    out[other] = x; /* OTHER */
}
