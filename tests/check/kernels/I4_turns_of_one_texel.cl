// Each work-item repeatedly adds to its own texel; -D WRONG omits the fence between iterations.
kernel void add(read_write image2d_t picture, uint turns) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  for (uint i = 0; i < turns; i++) {
    uint4 texel = read_imageui(picture, at); /* HERE */
    write_imageui(picture, at, texel + i);   /* OTHER */
#ifndef WRONG
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
#endif
  }
}
