/* Wrong: each half of the work-group stores as many blocks as it has counted. Right: both store as many as the larger
 * count. */
kernel void store_blocks(global const int *counts, global int2 *out) {
  local int2 block[64];
  const size_t i = get_local_id(0), part = i / 32;
  block[i] = (int2)(i, counts[part]);
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const int turns = counts[part];
#else
  const int turns = max(counts[0], counts[1]);
#endif
  for (int k = 0; k < turns; k++) {
    event_t stored = async_work_group_strided_copy(out + k, block, 64, 4, 0); /* HERE */
    wait_group_events(1, &stored);
  }
}
