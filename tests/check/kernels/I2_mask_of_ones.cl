// A mask is 1 where a number is negative. It is an image of integers; -D WRONG writes floats into it.
kernel void mask(global const float *in, write_only image1d_t mask) {
  int i = get_global_id(0);
#ifdef WRONG
  write_imagef(mask, i, in[i] < 0 ? 1.0f : 0.0f); /* HERE */
#else
  write_imagei(mask, i, in[i] < 0 ? 1 : 0);
#endif
}
