// A work-group of one work-item writes and copies without a barrier, ordered by its program. In groups of eight the
// first one writes the header: a barrier comes before the copy; -D WRONG omits it.
kernel void alone(global int *out) {
  local int tile[4];
  for (int k = 0; k < 4; k++)
    tile[k] = 10 * get_group_id(0) + k;
  event_t e = async_work_group_copy(out + 4 * get_group_id(0), tile, 4, 0);
  wait_group_events(1, &e);
}

kernel void header(global int *out) {
  local int tile[9];
  tile[1 + get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    tile[0] = 8; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  event_t e = async_work_group_copy(out + 64 + 9 * get_group_id(0), tile, 9, 0); /* HERE */
  wait_group_events(1, &e);
}
