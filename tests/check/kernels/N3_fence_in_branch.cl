/* Wrong: half of the work-items reach the fence between the store of a tile and the copy of the next one into it.
 * Right: all do. */
kernel void exchange(global const int *in, global int *old, global int *out) {
  local int tile[32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 32;
  tile[i] = i * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t moved = async_work_group_copy(old + at, tile, 32, 0);
#ifdef WRONG
  if (i < 16) /* OTHER */
#endif
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE); /* HERE */
  moved = async_work_group_copy(tile, in + at, 32, moved);
  wait_group_events(1, &moved);
  out[at + i] = tile[i];
}
