/* Sub-groups reverse the packets that they have written. With -D WRONG nothing is between the two writes; otherwise the
 * sub-group's barrier, which is enough because each writes packets of its own reservation. */
kernel void turn(write_only pipe int2 p) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  int2 draft = (int2)(lane, 0), x = (int2)(lane, 1);
  reserve_id_t id = sub_group_reserve_write_pipe(p, n);
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, lane, &draft); /* OTHER */
#ifndef WRONG
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  write_pipe(p, id, n - 1 - lane, &x); /* HERE */
  sub_group_commit_write_pipe(p, id);
}
