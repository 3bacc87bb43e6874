// A filter between the four pixels of each square halves an image; with -D WRONG it samples around the first of them.
constant sampler_t mean = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;

kernel void halve(read_only image2d_t picture, global float *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
#ifdef WRONG
  float2 corner = 2 * convert_float2(at);
#else
  float2 corner = 2 * convert_float2(at) + 1;
#endif
  out[at.y * get_global_size(0) + at.x] = read_imagef(picture, mean, corner).x; /* HERE */
}
