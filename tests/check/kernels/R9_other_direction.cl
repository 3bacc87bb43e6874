/* A work-group passes a block on. With -D WRONG it reads with the id that it has for writing; otherwise with the one
 * for reading. */
kernel void fill(write_only pipe int3 p) {
  int i = get_global_id(0);
  int3 x = (int3)(i, i + 1, i + 2);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void pass(read_only pipe int3 in, write_only pipe int3 out) {
  uint i = get_local_id(0);
  int3 x = 0;
  reserve_id_t from = work_group_reserve_read_pipe(in, 64), to = work_group_reserve_write_pipe(out, 64);
  if (!is_valid_reserve_id(from) || !is_valid_reserve_id(to))
    return;
#ifdef WRONG
  read_pipe(in, to, i, &x); /* HERE */
#else
  read_pipe(in, from, i, &x);
#endif
  write_pipe(out, to, 63 - i, &x);
  work_group_commit_read_pipe(in, from);
  work_group_commit_write_pipe(out, to);
}
