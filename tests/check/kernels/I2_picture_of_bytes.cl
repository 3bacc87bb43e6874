// An image of bytes is made darker; -D WRONG reads the bytes as fractions of 255.
kernel void darker(read_only image2d_t picture, global uint *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
#ifdef WRONG
  uint gray = read_imagef(picture, at).x * 255; /* HERE */
#else
  uint gray = read_imageui(picture, at).x;
#endif
  out[at.y * get_global_size(0) + at.x] = gray / 2;
}
