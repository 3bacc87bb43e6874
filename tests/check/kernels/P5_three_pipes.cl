/* Points pass from a pipe into another. With -D WRONG the remaining ones go back into their own pipe, which is also the
 * third argument; otherwise the third argument reads it a second time, and both only read. */
typedef struct { float3 at; int weight; } point;

kernel void fill(write_only pipe point p) {
  uint i = get_global_id(0);
  point x = {(float3)(i, i + 1, i + 2), i};
  write_pipe(p, &x);
}

#ifdef WRONG
#define DIRECTION write_only
#else
#define DIRECTION read_only
#endif

kernel void sift(read_only pipe point in, write_only pipe point out, DIRECTION pipe point rest) {
  point x;
  if (read_pipe(in, &x) == 0 && x.weight % 2) /* OTHER */
    write_pipe(out, &x);
#ifdef WRONG
  else
    write_pipe(rest, &x); /* HERE */
#else
  if (read_pipe(rest, &x) == 0 && x.weight % 2)
    write_pipe(out, &x);
#endif
}
