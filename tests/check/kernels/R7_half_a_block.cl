/* A work-group reserves two packets for each work-item. With -D WRONG each writes one; otherwise both. */
kernel __attribute__((reqd_work_group_size(40, 1, 1)))
void blocks(write_only pipe double3 p) {
  uint i = get_local_id(0), n = get_local_size(0);
  reserve_id_t id = work_group_reserve_write_pipe(p, 2 * n);
  if (!is_valid_reserve_id(id))
    return;
#ifdef WRONG
  for (uint k = i; k < n; k += n) {
#else
  for (uint k = i; k < 2 * n; k += n) {
#endif
    double3 x = (double3)(k, 0.5 * k, get_group_id(0));
    write_pipe(p, id, k, &x);
  }
  work_group_commit_write_pipe(p, id); /* HERE */
}
