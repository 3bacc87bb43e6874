// The image is smaller than the NDRange, and work-items without a pixel read none; -D WRONG reads all, with no sampler.
kernel void invert(read_only image2d_t picture, global uint *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
#ifndef WRONG
  if (at.x >= get_image_width(picture) || at.y >= get_image_height(picture))
    return;
#endif
  uint value = read_imageui(picture, at).x; /* HERE */
  out[at.y * get_global_size(0) + at.x] = ~value;
}
