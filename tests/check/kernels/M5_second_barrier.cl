// Work-items write a tile, read it across, and write the next one: one barrier is before the reads and one after them;
// -D WRONG omits the second.
kernel void transpose(global const float *in, global float *out) {
  local float tile[8][8];
  uint l = get_local_id(0), x = l % 8, y = l / 8;
  for (int t = 0; t < 4; t++) {
    uint at = 256 * get_group_id(0) + 64 * t + l;
    tile[y][x] = in[at]; /* OTHER */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[x][y]; /* HERE */
#ifndef WRONG
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
}
