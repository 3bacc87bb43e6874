// Each work-item reads the texel that the next lane stores; with -D WRONG the sub-group does not fence images.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void next(read_write image2d_t picture, global uint *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(picture, at, (uint4)(at.x)); /* OTHER */
#ifdef WRONG
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
#else
  sub_group_barrier(CLK_IMAGE_MEM_FENCE);
#endif
  out[at.y * 32 + at.x] = read_imageui(picture, (int2)((at.x + 1) % 32, at.y)).x; /* HERE */
}
