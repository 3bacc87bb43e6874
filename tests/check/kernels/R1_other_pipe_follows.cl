/* Each work-item sends a packet into either pipe. With -D WRONG it commits at the second pipe without a reservation and
 * goes on with the first one at once; otherwise it reserves at both. */
kernel void both(write_only pipe int p, write_only pipe int q) {
  int i = get_global_id(0);
  reserve_id_t id = reserve_write_pipe(p, 1), other = CLK_NULL_RESERVE_ID;
#ifndef WRONG
  other = reserve_write_pipe(q, 1);
  write_pipe(q, other, 0, &i);
#endif
  commit_write_pipe(q, other); /* HERE */
  write_pipe(p, id, 0, &i);
  commit_write_pipe(p, id);
}
