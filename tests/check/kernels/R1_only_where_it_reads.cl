/* Sub-groups move packets from pipe to pipe and keep both ids in a buffer. With -D WRONG they reserve only where they
 * read, and write with the buffer's initial contents; otherwise they also reserve where they write. */
kernel void fill(write_only pipe uint3 p) {
  uint i = get_global_id(0);
  uint3 x = (uint3)(i, i * i, i * i * i);
  write_pipe(p, &x);
}

kernel void move(read_only pipe uint3 in, write_only pipe uint3 out, global reserve_id_t *kept) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id(), at = 2 * get_sub_group_id();
  reserve_id_t from = sub_group_reserve_read_pipe(in, n), to = kept[at + 1];
#ifndef WRONG
  to = sub_group_reserve_write_pipe(out, n);
  if (!is_valid_reserve_id(to))
    return;
#endif
  if (lane == 0)
    kept[at] = from;
  if (!is_valid_reserve_id(from))
    return;
  uint3 x;
  read_pipe(in, from, n - 1 - lane, &x);
  write_pipe(out, to, lane, &x); /* HERE */
  sub_group_commit_write_pipe(out, to); /* HERE */
  sub_group_commit_read_pipe(in, from);
}
