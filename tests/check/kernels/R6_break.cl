/* Each work-item sends runs of packets until a run is long enough. With -D WRONG it leaves the loop before it commits
 * the last run; otherwise after the commit. */
kernel void runs(write_only pipe int p) {
  int i = get_global_id(0);
  for (uint n = 1; n <= 3; n++) {
    reserve_id_t id = reserve_write_pipe(p, n); /* HERE */
    if (!is_valid_reserve_id(id))
      break;
    for (uint k = 0; k < n; k++) {
      int x = 10 * i + k;
      write_pipe(p, id, k, &x);
    }
#ifdef WRONG
    if (n == i % 3 + 1)
      break;
#endif
    commit_write_pipe(p, id);
    if (n == i % 3 + 1)
      break;
  }
}
