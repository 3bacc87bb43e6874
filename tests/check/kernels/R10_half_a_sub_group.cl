/* Sub-groups send every other lane's number. With -D WRONG only these lanes reserve and commit; otherwise all lanes
 * do. */
kernel void send(write_only pipe ulong p) {
  uint lane = get_sub_group_local_id();
  ulong x = get_global_id(0);
#ifdef WRONG
  if (lane % 2)
    return;
#endif
  reserve_id_t id = sub_group_reserve_write_pipe(p, (get_sub_group_size() + 1) / 2); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  if (lane % 2 == 0)
    write_pipe(p, id, lane / 2, &x);
  sub_group_commit_write_pipe(p, id);
}
