// A row is read texel by texel, with coordinates that are integers; with -D WRONG the sampler expects them from 0 to 1.
#ifdef WRONG
constant sampler_t texels = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#else
constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#endif

kernel void neighbors(read_only image1d_t row, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(row, texels, i + 1).x - read_imagef(row, texels, i - 1).x; /* HERE */
}
