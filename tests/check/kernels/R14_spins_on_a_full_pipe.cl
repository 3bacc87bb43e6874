/* The kernel writes more packets than the pipe holds, and nothing reads. With -D WRONG each work-item tries forever;
 * otherwise it tries a few times and gives up. */
kernel void send(write_only pipe int p, global int *lost) {
  int x = get_global_id(0);
#ifdef WRONG
  while (write_pipe(p, &x) != 0) /* HERE */
    ;
#else
  int tries = 0;
  while (write_pipe(p, &x) != 0 && ++tries < 4)
    ;
  lost[x] = tries == 4;
#endif
}
