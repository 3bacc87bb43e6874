/* A work-group reserves a block. With -D WRONG one work-item commits it as if it were its own; otherwise the work-group
 * does. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void block(write_only pipe uint p) {
  uint i = get_local_id(0), x = get_global_id(0);
  reserve_id_t id = work_group_reserve_write_pipe(p, 64);
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, i, &x);
#ifdef WRONG
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    commit_write_pipe(p, id); /* HERE */
#else
  work_group_commit_write_pipe(p, id);
#endif
}
