/* Several work-groups send a block each. With -D WRONG only the first one commits; otherwise all do. */
kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void blocks(write_only pipe short3 p) {
  uint i = get_local_linear_id();
  short3 x = (short3)(get_local_id(0), get_local_id(1), get_group_id(0));
  reserve_id_t id = work_group_reserve_write_pipe(p, 32); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, i, &x);
#ifdef WRONG
  if (get_group_id(0) == 0)
#endif
    work_group_commit_write_pipe(p, id);
}
