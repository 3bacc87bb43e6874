/* The pipe has packets of 4 bytes. With -D WRONG the kernel sends numbers of 2 bytes; otherwise of 4. */
#ifdef WRONG
typedef ushort number;
#else
typedef uint number;
#endif

kernel void send(write_only pipe number p) {
  number x = get_global_id(0);
  write_pipe(p, &x); /* HERE */
}
