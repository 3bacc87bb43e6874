// Each iteration writes a tile of shorts, sums what it reads of it, and starts again; with -D WRONG only the sum is
// between a read and the next iteration's write.
kernel void sums(global const short *in, global int *out, uint turns) {
  local short tile[128];
  uint l = get_local_id(0), n = get_local_size(0);
  int sum = 0;
  for (uint t = 0; t < turns; t++) {
    tile[l] = in[t * n + l]; /* OTHER */
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += work_group_reduce_add((int)tile[n - 1 - l] * (int)l); /* HERE */
#ifndef WRONG
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
  if (l == 0)
    out[0] = sum;
}
