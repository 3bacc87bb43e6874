/* Wrong: in the first iteration, every other work-item skips the fence between two copies. Right: all call it in each
 * iteration. */
kernel void rotate_tiles(global const int *in, global int *out) {
  local int tile[32];
  const size_t i = get_local_id(0);
  int total = 0;
  tile[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t k = 0; k < 3; k++) {
    event_t moved = async_work_group_strided_copy(out + k, tile, 32, 3, 0);
#ifdef WRONG
    if (k >= i % 2)
#endif
      async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE); /* HERE */
    moved = async_work_group_copy_2D2D(tile, 0, in, k * 8, sizeof(int), 8, 4, 24, 8, moved);
    wait_group_events(1, &moved);
    total += tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[96 + i] = total;
}
