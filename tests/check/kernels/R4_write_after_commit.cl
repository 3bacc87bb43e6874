/* Each work-item writes its packet, and corrects it. With -D WRONG it does so after the commit; otherwise before. */
kernel void correct(write_only pipe long p, global const long *in) {
  size_t i = get_global_id(0);
  long draft = 0, x = in[i];
  reserve_id_t id = reserve_write_pipe(p, 1);
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, 0, &draft);
#ifdef WRONG
  commit_write_pipe(p, id);
  write_pipe(p, id, 0, &x); /* HERE */
#else
  write_pipe(p, id, 0, &x);
  commit_write_pipe(p, id);
#endif
}
