// Half of the work-items, a sub-group or more, call one more barrier in one iteration; with -D WRONG the others do not.
kernel void turns(global const int *in, global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  int sum = 0;
  tile[l] = in[get_global_id(0)];
  for (int t = 0; t < 4; t++) {
    sum += tile[l] ^ t;
#ifdef WRONG
    if (in[l / 32 * 4 + t] == 6) /* OTHER */
#else
    if (t == 2)
#endif
      barrier(CLK_LOCAL_MEM_FENCE); /* HERE */
  }
  out[get_global_id(0)] = sum;
}
