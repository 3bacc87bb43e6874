/* Odd lanes read the value of one lane. With -D WRONG it is an even one, which is not there; otherwise an odd one. */
kernel void odd(global const int *in, global int *out) {
  uint i = get_global_id(0);
  int x = in[i];
  if (get_sub_group_local_id() % 2) {
#ifdef WRONG
    uint lane = 4;
#else
    uint lane = 5;
#endif
    x = sub_group_non_uniform_broadcast(x, lane); /* HERE */
  }
  out[i] = x;
}
