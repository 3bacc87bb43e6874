/* Each work-item reserves a packet. With -D WRONG it writes a second one with a null id; otherwise it reserves that
 * too. */
int put(write_only pipe int p, reserve_id_t id, int x) { return write_pipe(p, id, 0, &x); } /* HERE */

kernel void two(write_only pipe int p) {
  int i = get_global_id(0);
  reserve_id_t first = reserve_write_pipe(p, 1), second = CLK_NULL_RESERVE_ID;
#ifndef WRONG
  second = reserve_write_pipe(p, 1);
#endif
  put(p, first, i);
  put(p, second, -i);
  commit_write_pipe(p, first);
  commit_write_pipe(p, second); /* HERE */
}
