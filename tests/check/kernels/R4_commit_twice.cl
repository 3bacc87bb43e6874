/* A work-group takes a block and stops early when the block's first packet says so. With -D WRONG that path commits,
 * and then the end commits again; otherwise only the end commits. */
kernel void fill(write_only pipe int p) {
  int x = get_global_id(0);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void take(read_only pipe int p, global int *out) {
  uint i = get_local_id(0);
  int first, x;
  reserve_id_t id = work_group_reserve_read_pipe(p, 32);
  if (!is_valid_reserve_id(id))
    return;
  read_pipe(p, id, 0, &first);
  if (first < 100) {
    read_pipe(p, id, i, &x);
    out[get_global_id(0)] = x;
#ifdef WRONG
    work_group_commit_read_pipe(p, id);
#endif
  }
  work_group_commit_read_pipe(p, id); /* HERE */
}
