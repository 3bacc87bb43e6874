// Work-items double their texels in a read_write image; -D WRONG passes the image twice, to be read and to be written.
#ifdef WRONG
kernel void twice(read_only image2d_t from, write_only image2d_t to) {
#else
kernel void twice(read_write image2d_t from, read_write image2d_t to) {
#endif
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint4 texel = read_imageui(from, at); /* OTHER */
#ifdef WRONG
  write_imageui(to, at, 2 * texel); /* HERE */
#else
  write_imageui(from, at, 2 * texel);
#endif
}
