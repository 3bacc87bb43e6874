/* A work-group of one sub-group. With -D WRONG the sub-group reserves and the work-group commits; otherwise the
 * work-group does both. */
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void block(write_only pipe double p) {
  uint i = get_local_id(0);
  double x = 0.25 * get_global_id(0);
#ifdef WRONG
  reserve_id_t id = sub_group_reserve_write_pipe(p, 16);
#else
  reserve_id_t id = work_group_reserve_write_pipe(p, 16);
#endif
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, i, &x);
  work_group_commit_write_pipe(p, id); /* HERE */
}
