/* A kernel reads what another one has sent before. With -D WRONG its last work-items wait for packets that were never
 * sent; otherwise they see that the pipe is empty. */
kernel void fill(write_only pipe ushort p) {
  ushort x = get_global_id(0);
  write_pipe(p, &x);
}

int take(read_only pipe ushort p, ushort *x) { return read_pipe(p, x); } /* HERE */

kernel void sum(read_only pipe ushort p, global int *out) {
  ushort x = 0;
#ifdef WRONG
  while (take(p, &x) != 0)
    ;
#else
  if (take(p, &x) != 0)
    x = 0;
#endif
  out[get_global_id(0)] = x;
}
