// Many work-groups use one place of the LDS in turn: each clears its tile of what the previous one has left, and its
// copy comes after a barrier; with -D WRONG the last work-group omits it.
kernel void turn(global const int *in, global int *out) {
  local int tile[96];
  size_t l = get_local_id(0), first = 64 * get_group_id(0);
  if (l < 32)
    tile[64 + l] = 0;
  tile[l] = 0; /* HERE */
#ifdef WRONG
  if (get_group_id(0) + 1 < get_num_groups(0))
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(tile + 8, in + first, 56, 0); /* OTHER */
  wait_group_events(1, &e);
  out[first + l] = tile[l];
}
