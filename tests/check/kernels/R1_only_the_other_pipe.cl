/* Sub-groups move packets from pipe to pipe. With -D WRONG they reserve only where they read; otherwise also where they
 * write. */
kernel void fill(write_only pipe uint3 p) {
  uint i = get_global_id(0);
  uint3 x = (uint3)(i, i * i, i * i * i);
  write_pipe(p, &x);
}

kernel void move(read_only pipe uint3 in, write_only pipe uint3 out) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  reserve_id_t from = sub_group_reserve_read_pipe(in, n);
  if (!is_valid_reserve_id(from))
    return;
#ifdef WRONG
  reserve_id_t to = CLK_NULL_RESERVE_ID;
#else
  reserve_id_t to = sub_group_reserve_write_pipe(out, n);
#endif
  uint3 x;
  read_pipe(in, from, n - 1 - lane, &x);
#ifndef WRONG
  if (is_valid_reserve_id(to))
#endif
  {
    write_pipe(out, to, lane, &x); /* HERE */
    sub_group_commit_write_pipe(out, to); /* HERE */
  }
  sub_group_commit_read_pipe(in, from);
}
