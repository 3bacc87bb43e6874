// Even iterations copy one image to the other, odd ones copy back, in separate launches; with -D WRONG in one launch.
kernel void step(read_only image2d_t from, write_only image2d_t to, read_only image2d_t from_next, uint turn) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
#ifdef WRONG
  uint4 texel = turn & 1 ? read_imageui(from_next, at) : read_imageui(from, at); /* HERE */
#else
  uint4 texel = read_imageui(from, at);
#endif
  write_imageui(to, at, texel + turn); /* OTHER */
}
