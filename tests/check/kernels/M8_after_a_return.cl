// Work-items beyond the end write nothing; with -D WRONG they have returned before the barrier.
kernel void shift(global const int *in, global int *out, uint n) {
  local int tile[64];
  uint i = get_global_id(0), l = get_local_id(0);
#ifdef WRONG
  if (i >= n) /* OTHER */
    return;
#endif
  tile[l] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE); /* HERE */
  if (i < n)
    out[i] = l > 0 ? tile[l - 1] : 0;
}
