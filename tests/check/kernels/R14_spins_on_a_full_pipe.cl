/* Nobody reads while the kernel writes more packets than the pipe holds. With -D WRONG each work-item tries until it
 * has room, which is for ever; without, it tries a few times and gives up. */
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
