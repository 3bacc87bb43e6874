// Each pixel reads its left neighbor; the first of a row reads itself. With -D WRONG the sampler does not define that.
#ifdef WRONG
#define ADDRESS CLK_ADDRESS_NONE
#else
#define ADDRESS CLK_ADDRESS_CLAMP_TO_EDGE
#endif
constant sampler_t beside = CLK_NORMALIZED_COORDS_FALSE | ADDRESS | CLK_FILTER_NEAREST;

kernel void shift(read_only image2d_t picture, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 left = read_imagef(picture, beside, (int2)(at.x - 1, at.y)); /* HERE */
  out[at.y * get_global_size(0) + at.x] = left;
}
