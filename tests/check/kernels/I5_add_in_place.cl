// Each texel is added to its neighbor in another image; with -D WRONG in the image from which it is read.
kernel void add(read_only image2d_t from, write_only image2d_t to, write_only image2d_t back) {
  const sampler_t clamp_to_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint4 sum = read_imageui(from, clamp_to_edge, at) + read_imageui(from, clamp_to_edge, at + (int2)(1, 0)); /* OTHER */
#ifdef WRONG
  if (at.x < 0) /* code that no work-item reaches also counts */
    write_imageui(back, at, sum); /* HERE */
#endif
  write_imageui(to, at, sum);
}
