/* Sub-groups send a packet per lane, the last one with fewer lanes than the others. With -D WRONG each reserves as many
 * as the largest has lanes, and the last one leaves some unwritten; otherwise as many as it has itself. */
kernel void lanes(write_only pipe char p) {
#ifdef WRONG
  uint n = get_max_sub_group_size();
#else
  uint n = get_sub_group_size();
#endif
  uint lane = get_sub_group_local_id();
  char x = lane;
  reserve_id_t id = sub_group_reserve_write_pipe(p, n);
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, lane, &x);
  sub_group_commit_write_pipe(p, id); /* HERE */
}
