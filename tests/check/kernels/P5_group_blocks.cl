/* A work-group passes blocks on. With -D WRONG it takes back, from the pipe that it writes, the block that it has just
 * sent; otherwise it sends a second block there through its other argument. */
#ifdef WRONG
#define DIRECTION read_only
#else
#define DIRECTION write_only
#endif

kernel __attribute__((reqd_work_group_size(48, 1, 1)))
void blocks(write_only pipe short3 to, DIRECTION pipe short3 again, global short3 *out) {
  uint i = get_local_id(0), n = get_local_size(0);
  short3 x = (short3)(i, -i, get_group_id(0));
  reserve_id_t id = work_group_reserve_write_pipe(to, n); /* OTHER */
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(to, id, i, &x);
  work_group_commit_write_pipe(to, id);

#ifdef WRONG
  id = work_group_reserve_read_pipe(again, n); /* HERE */
#else
  id = work_group_reserve_write_pipe(again, n);
#endif
  if (!is_valid_reserve_id(id))
    return;
#ifdef WRONG
  read_pipe(again, id, n - 1 - i, &x);
  work_group_commit_read_pipe(again, id);
#else
  write_pipe(again, id, n - 1 - i, &x);
  work_group_commit_write_pipe(again, id);
#endif
  out[get_global_id(0)] = x;
}
