/* The first launch leaves its ids, committed, in a buffer. With -D WRONG the second one writes a packet with them;
 * otherwise it has its own reservations, and only checks whether the first one's were valid. */
kernel void first(write_only pipe int p, global reserve_id_t *kept) {
  uint i = get_global_id(0);
  int x = i;
  reserve_id_t id = reserve_write_pipe(p, 1);
  kept[i] = id;
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, 0, &x);
  commit_write_pipe(p, id);
}

kernel void second(write_only pipe int p, global reserve_id_t *kept) {
  uint i = get_global_id(0);
  int x = -(int)i;
  if (!is_valid_reserve_id(kept[i]))
    return;
#ifdef WRONG
  write_pipe(p, kept[i], 0, &x); /* HERE */
#else
  reserve_id_t id = reserve_write_pipe(p, 1);
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, 0, &x);
  commit_write_pipe(p, id);
#endif
}
