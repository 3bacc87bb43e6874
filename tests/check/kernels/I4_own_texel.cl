// Each work-item stores a texel and reads it back; -D WRONG omits the fence between.
kernel void twice(read_write image2d_t picture, global uint *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(picture, at, (uint4)(at.x * at.y)); /* OTHER */
#ifndef WRONG
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
#endif
  out[at.y * get_global_size(0) + at.x] = read_imageui(picture, at).x; /* HERE */
}
