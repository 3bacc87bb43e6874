//// kernels
kernel void invert(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, 1.0f - read_imagef(from, s, convert_float2(at) + 0.5f));
}
kernel void twice(read_write image2d_t image) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(image, at, 2.0f * read_imagef(image, at));
}
kernel void line(read_only image1d_buffer_t from, global float *to) {
  to[get_global_id(0)] = read_imagef(from, get_global_id(0)).y;
}
