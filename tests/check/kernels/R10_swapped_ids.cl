/* A work-group has two blocks open and commits both. With -D WRONG its halves commit them in opposite orders, so they
 * pass different ids to one call; otherwise in the same order. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void blocks(write_only pipe short2 p) {
  uint i = get_local_id(0);
  reserve_id_t ids[2];
  for (uint k = 0; k < 2; k++) {
    short2 x = (short2)(i, k);
    ids[k] = work_group_reserve_write_pipe(p, 64);
    if (is_valid_reserve_id(ids[k]))
      write_pipe(p, ids[k], i, &x);
  }
#ifdef WRONG
  uint first = i / 32;
#else
  uint first = 0;
#endif
  work_group_commit_write_pipe(p, ids[first]); /* HERE */
  work_group_commit_write_pipe(p, ids[1 - first]); /* HERE */
}
