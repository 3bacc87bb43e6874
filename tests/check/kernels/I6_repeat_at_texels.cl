// A pattern repeats over a row; the kernel wraps its integer coordinates; with -D WRONG the sampler is to do that, which
// it can for normalized coordinates only.
#ifdef WRONG
constant sampler_t again = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
#define WRAP(i, size) i
#else
constant sampler_t again = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
#define WRAP(i, size) i % size
#endif

kernel void tile(read_only image1d_t pattern, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(pattern, again, WRAP(i, get_image_width(pattern))).x; /* HERE */
}
