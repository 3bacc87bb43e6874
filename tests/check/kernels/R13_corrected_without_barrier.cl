/* Work-items write their packets, and then one half of the work-group overwrites those of the other. With -D WRONG
 * nothing is between; otherwise a barrier is. */
int put(write_only pipe long3 p, reserve_id_t id, uint index, long x) {
  long3 packet = (long3)(x, -x, 0);
  return write_pipe(p, id, index, &packet); /* HERE and OTHER */
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void block(write_only pipe long3 p) {
  uint i = get_local_id(0);
  reserve_id_t id = work_group_reserve_write_pipe(p, 64);
  if (!is_valid_reserve_id(id))
    return;
  put(p, id, i, i);
#ifndef WRONG
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  if (i < 32)
    put(p, id, i + 32, 2 * i);
  work_group_commit_write_pipe(p, id);
}
