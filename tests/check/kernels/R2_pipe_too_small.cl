/* Each work-item sends a packet, but the pipe has room for half of them. With -D WRONG none checks whether it got a
 * reservation; otherwise each does. */
kernel void send(write_only pipe uint p) {
  uint x = get_global_id(0);
  reserve_id_t id = reserve_write_pipe(p, 1); /* OTHER */
#ifndef WRONG
  if (!is_valid_reserve_id(id))
    return;
#endif
  write_pipe(p, id, 0, &x); /* HERE */
  commit_write_pipe(p, id); /* HERE */
}
