/* Each work-item merges a packet of two pipes. With -D WRONG it reads both with the first pipe's id; otherwise each
 * with its own. */
kernel void fill(write_only pipe uint p, write_only pipe uint q) {
  uint x = get_global_id(0), y = 1000 + x;
  write_pipe(p, &x);
  write_pipe(q, &y);
}

kernel void merge(read_only pipe uint p, read_only pipe uint q, global uint *out) {
  uint x = 0, y = 0;
  reserve_id_t a = reserve_read_pipe(p, 1), b = reserve_read_pipe(q, 1);
  if (is_valid_reserve_id(a)) {
    read_pipe(p, a, 0, &x);
#ifdef WRONG
    read_pipe(q, a, 0, &y); /* HERE */
#endif
  }
  if (is_valid_reserve_id(b)) {
#ifndef WRONG
    read_pipe(q, b, 0, &y);
#endif
    commit_read_pipe(q, b);
  }
  if (is_valid_reserve_id(a))
    commit_read_pipe(p, a);
  out[get_global_id(0)] = x + y;
}
