/* Sub-groups reserve room for twice their lanes, but only one gets it. With -D WRONG the other writes nevertheless;
 * otherwise it tests the id. */
kernel void send(write_only pipe short8 p) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  short8 x = lane;
  reserve_id_t id = sub_group_reserve_write_pipe(p, 2 * n); /* OTHER */
#ifndef WRONG
  if (is_valid_reserve_id(id))
#endif
  {
    write_pipe(p, id, lane, &x); /* HERE */
    write_pipe(p, id, n + lane, &x); /* HERE */
    sub_group_commit_write_pipe(p, id); /* HERE */
  }
}
