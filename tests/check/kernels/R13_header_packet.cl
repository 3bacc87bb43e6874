/* Sub-groups send a header and a packet per lane. With -D WRONG all lanes write the header; otherwise lane 0 does. */
kernel void send(write_only pipe uint4 p) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  reserve_id_t id = sub_group_reserve_write_pipe(p, n + 1);
  if (!is_valid_reserve_id(id))
    return;
  uint4 header = (uint4)(n, 0, 0, 0), x = (uint4)(lane, n, 1, 2);
#ifndef WRONG
  if (lane == 0)
#endif
    write_pipe(p, id, 0, &header); /* HERE and OTHER */
  write_pipe(p, id, 1 + lane, &x);
  sub_group_commit_write_pipe(p, id);
}
