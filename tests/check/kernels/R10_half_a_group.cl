/* A work-group takes a block. With -D WRONG only the work-items that read a packet of it reserve and commit; otherwise
 * all do. */
kernel void fill(write_only pipe float p) {
  float x = get_global_id(0);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void take(read_only pipe float p, global float *out) {
  uint i = get_local_id(0);
#ifdef WRONG
  if (i >= 40) /* OTHER */
    return;
#endif
  float x = 0;
  reserve_id_t id = work_group_reserve_read_pipe(p, 40); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  if (i < 40)
    read_pipe(p, id, i, &x);
  work_group_commit_read_pipe(p, id);
  out[get_global_id(0)] = x;
}
