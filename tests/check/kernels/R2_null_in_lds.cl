/* A work-group opens two blocks and keeps their ids in the LDS. With -D WRONG the second entry is still the null id;
 * otherwise both are ids of reservations. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void blocks(write_only pipe ushort2 p) {
  local reserve_id_t ids[2];
  uint i = get_local_id(0);
  ushort2 x = (ushort2)(i, get_group_id(0));
  if (i == 0) {
    ids[0] = reserve_write_pipe(p, 32);
#ifdef WRONG
    ids[1] = CLK_NULL_RESERVE_ID;
#else
    ids[1] = reserve_write_pipe(p, 32);
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  write_pipe(p, ids[i / 32], i % 32, &x); /* HERE */
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    for (uint k = 0; k < 2; k++)
      commit_write_pipe(p, ids[k]); /* HERE */
}
