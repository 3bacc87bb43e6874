/* Wrong: the copy of lines stores one line more than its array has, from the next one. Right: it stores the array's.
 * */
enum { WIDTH = 8, LINES = 4 };

kernel void store_lines(global const short *in, global short *out) {
  local short even[LINES * WIDTH], odd[LINES * WIDTH];
  const size_t i = get_local_id(0);
  even[i] = in[2 * i];
  odd[i] = in[2 * i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  const size_t lines = LINES + 1;
#else
  const size_t lines = LINES;
#endif
  event_t stored = async_work_group_copy_2D2D(out, 0, even, 0, sizeof(short), WIDTH, lines, WIDTH, 16, 0); /* HERE */
  wait_group_events(1, &stored);
  out[8 + i % 8 + i / 8 * 16] = odd[i];
}
