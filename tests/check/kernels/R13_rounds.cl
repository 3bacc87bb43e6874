/* Work-items write the packets of a block in turns, in each round a neighbor's. With -D WRONG the rounds follow each
 * other at once; otherwise each ends with a barrier. The id is work-item 0's and is in the LDS. */
kernel __attribute__((reqd_work_group_size(48, 1, 1)))
void block(write_only pipe char2 p) {
  local reserve_id_t id;
  uint i = get_local_id(0), n = get_local_size(0);
  if (i == 0)
    id = reserve_write_pipe(p, n);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_valid_reserve_id(id))
    return;
  for (uint round = 0; round < 3; round++) {
    char2 x = (char2)(i, round);
    write_pipe(p, id, (i + round) % n, &x); /* HERE and OTHER */
#ifndef WRONG
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    commit_write_pipe(p, id);
}
