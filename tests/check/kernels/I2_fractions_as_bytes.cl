// Each work-item packs its pixel's channels, which are fractions of 255; with -D WRONG it treats them as bytes.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void pack(read_only image2d_t picture, global uchar4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
#ifdef WRONG
  uchar4 pixel = convert_uchar4(read_imageui(picture, edge, at)); /* HERE */
#else
  uchar4 pixel = convert_uchar4_sat_rte(read_imagef(picture, edge, at) * 255);
#endif
  out[at.y * get_global_size(0) + at.x] = pixel;
}
