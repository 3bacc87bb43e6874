/* A work-group reserves a block. With -D WRONG its two halves reserve different numbers of packets; otherwise all
 * reserve 64. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void block(write_only pipe uint p) {
  uint i = get_local_id(0), x = i;
#ifdef WRONG
  uint n = i < 32 ? 64 : 32;
#else
  uint n = 64;
#endif
  reserve_id_t id = work_group_reserve_write_pipe(p, n); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, i, &x);
  work_group_commit_write_pipe(p, id);
}
