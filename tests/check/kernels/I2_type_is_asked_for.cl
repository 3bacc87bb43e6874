// The kernel accepts any image and queries the type of its channels; with -D WRONG it handles only unsigned integers.
bool is_whole(int type) {
#ifndef WRONG
  if (type == CLK_SIGNED_INT8 || type == CLK_SIGNED_INT16 || type == CLK_SIGNED_INT32)
    return true;
#endif
  return type == CLK_UNSIGNED_INT8 || type == CLK_UNSIGNED_INT16 || type == CLK_UNSIGNED_INT32;
}

kernel void sum(read_only image3d_t volume, global float *out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  float value;
  if (is_whole(get_image_channel_data_type(volume)))
    value = read_imagei(volume, at).x;
  else
    value = read_imagef(volume, at).x; /* HERE */
  out[(at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x] = value;
}
