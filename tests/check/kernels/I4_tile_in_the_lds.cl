// A work-group shifts its row by a texel through the LDS; with -D WRONG the barrier between fences only the LDS.
kernel void shift(read_write image2d_t picture) {
  local uint tile[32];
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  tile[at.x] = read_imageui(picture, at).x; /* HERE */
#ifdef WRONG
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
#else
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
#endif
  write_imageui(picture, (int2)((at.x + 1) % 32, at.y), (uint4)(tile[at.x])); /* OTHER */
}
