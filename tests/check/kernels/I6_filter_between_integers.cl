// Integers are read at float coordinates, with the nearest filter; with -D WRONG with the linear one, which integers do
// not have.
#ifdef WRONG
constant sampler_t shrink = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
#else
constant sampler_t shrink = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#endif

kernel void halve(read_only image2d_t labels, global uint *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1)), size = (int2)(get_global_size(0), get_global_size(1));
  float2 center = (convert_float2(at) + 0.5f) / convert_float2(size);
  out[at.y * size.x + at.x] = read_imageui(labels, shrink, center).x; /* HERE */
}
