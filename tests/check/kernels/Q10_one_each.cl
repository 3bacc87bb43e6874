/* Eight reservations may be open. With -D WRONG each work-item of a warp has one at the same time; otherwise the
 * sub-group has one for all. */
kernel void send(write_only pipe uint p) {
  uint lane = get_sub_group_local_id(), x = lane;
#ifdef WRONG
  reserve_id_t id = reserve_write_pipe(p, 1); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, 0, &x);
  commit_write_pipe(p, id);
#else
  reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, lane, &x);
  sub_group_commit_write_pipe(p, id);
#endif
}
