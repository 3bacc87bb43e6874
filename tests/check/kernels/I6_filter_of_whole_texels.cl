// A picture is read at integer coordinates without a filter; with -D WRONG through the linear one of another read.
constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#ifdef WRONG
#define EXACT smooth
#else
#define EXACT exact
#endif

kernel void sharpen(read_only image2d_t picture, global float *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float blurred = read_imagef(picture, smooth, convert_float2(at)).x;
  out[at.y * get_global_size(0) + at.x] = 2 * read_imagef(picture, EXACT, at).x - blurred; /* HERE */
}
