/* Each work-item reserves n packets. With -D WRONG its loop writes packets 0 to n; otherwise 0 to n - 1. */
kernel void runs(write_only pipe uint p) {
  uint i = get_global_id(0), n = i % 3 + 1, end = n;
  reserve_id_t id = reserve_write_pipe(p, n);
  if (!is_valid_reserve_id(id))
    return;
#ifdef WRONG
  end++;
#endif
  for (uint k = 0; k < end; k++) {
    uint x = 100 * i + k;
    write_pipe(p, id, k, &x); /* HERE */
  }
  commit_write_pipe(p, id);
}
