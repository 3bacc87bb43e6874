/* Each work-item sends two packets. With -D WRONG the second argument reads, and the launch passes it the pipe that the
 * first one writes; otherwise both arguments write, and one pipe may serve both. */
#ifdef WRONG
#define DIRECTION read_only
#define CALL read_pipe
#else
#define DIRECTION write_only
#define CALL write_pipe
#endif

kernel void echo(write_only pipe uint first, DIRECTION pipe uint second, global uint *out) {
  uint i = get_global_id(0), x = 7 * i, y = 7 * i + 1;
  write_pipe(first, &x); /* OTHER */
  if (CALL(second, &y) == 0) /* HERE */
    out[i] = y;
}
