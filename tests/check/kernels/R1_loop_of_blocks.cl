/* A work-group sends four blocks. With -D WRONG it commits blocks that were never reserved; otherwise it reserves
 * each. */
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void blocks(write_only pipe uchar p) {
  uint i = get_local_id(0);
  reserve_id_t id = CLK_NULL_RESERVE_ID;
  for (uint block = 0; block < 4; block++) {
    uchar x = 32 * block + i;
#ifndef WRONG
    id = work_group_reserve_write_pipe(p, 32);
    if (!is_valid_reserve_id(id))
      return;
#endif
    write_pipe(p, id, 31 - i, &x); /* HERE */
    work_group_commit_write_pipe(p, id); /* HERE */
  }
}
