// A work-group stores a row and reads it from the other end; with -D WRONG its barrier fences buffers, not images.
kernel void mirror(read_write image2d_t picture, global uint *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  int2 from = (int2)(get_global_size(0) - 1 - at.x, at.y);
  write_imageui(picture, at, (uint4)(at.x)); /* OTHER */
#ifdef WRONG
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#else
  work_group_barrier(CLK_IMAGE_MEM_FENCE);
#endif
  out[at.y * get_global_size(0) + at.x] = read_imageui(picture, from).x; /* HERE */
}
