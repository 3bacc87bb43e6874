/* Each work-item takes a packet. With -D WRONG those with an odd one return without a commit; otherwise they commit
 * before they return. */
kernel void fill(write_only pipe uint p) {
  uint x = get_global_id(0);
  write_pipe(p, &x);
}

kernel void evens(read_only pipe uint p, global uint *out) {
  uint x = 0;
  reserve_id_t id = reserve_read_pipe(p, 1); /* HERE */
  if (!is_valid_reserve_id(id))
    return;
  read_pipe(p, id, 0, &x);
  if (x % 2) {
#ifndef WRONG
    commit_read_pipe(p, id);
#endif
    return;
  }
  out[get_global_id(0)] = x;
  commit_read_pipe(p, id);
}
