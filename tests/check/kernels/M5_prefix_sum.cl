// A prefix sum between two rows of the LDS, with one barrier per iteration; with -D WRONG in one row, which is read and
// written without a barrier between.
#ifdef WRONG
#define OTHER_ROW row
#else
#define OTHER_ROW !row
#endif

kernel void scan(global const uint *in, global uint *out) {
  local uint sum[2][64];
  uint l = get_local_id(0), row = 0;
  sum[0][l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < 64; step *= 2) {
    uint v = sum[row][l] + (l >= step ? sum[row][l - step] : 0); /* OTHER */
    row = OTHER_ROW;
    sum[row][l] = v; /* HERE */
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum[row][l];
}
