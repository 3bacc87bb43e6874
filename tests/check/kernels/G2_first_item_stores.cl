/* Wrong: only the first work-item stores the tile. Right: the whole work-group calls the copy and the wait. */
kernel void store(global const int *in, global int *out) {
  local int tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  tile[i] = in[at + i] * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  if (i == 0)
#endif
  {
    event_t stored = async_work_group_copy(out + at, tile, 64, 0);
    wait_group_events(1, &stored);
  }
}
