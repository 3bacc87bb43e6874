/* A pair of kernels passes blocks on. With -D WRONG the reader's first work-item returns before all reserve, and the id
 * that the others get may be the writer's; otherwise it stays. */
kernel void put(global const int *in, write_only pipe int p) {
  reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
  if (!is_valid_reserve_id(id))
    return;
  int x = in[get_global_id(0)];
  write_pipe(p, id, get_local_id(0), &x);
  work_group_commit_write_pipe(p, id);
}

kernel void get(read_only pipe int p, global int *out) {
#ifdef WRONG
  if (get_local_id(0) == 0) /* OTHER */
    return;
#endif
  reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0)); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  int x = 0;
  read_pipe(p, id, get_local_id(0), &x);
  out[get_global_id(0)] = x;
  work_group_commit_read_pipe(p, id);
}
