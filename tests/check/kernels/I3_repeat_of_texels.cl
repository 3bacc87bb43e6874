// A pattern repeats over a row, which needs normalized coordinates; with -D WRONG the coordinates count texels.
#ifdef WRONG
constant sampler_t again = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
#else
constant sampler_t again = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
#endif

kernel void tile(read_only image1d_t pattern, global float *out) {
  int i = get_global_id(0);
  float at = i + 0.5f;
#ifndef WRONG
  at /= get_image_width(pattern);
#endif
  out[i] = read_imagef(pattern, again, at).x; /* HERE */
}
