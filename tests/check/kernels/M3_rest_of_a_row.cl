/* The copy engine accepts only lines of 16 bytes. Wrong: the last work-group stores only the rest of the row. Right: it
 * stores whole lines, for which the buffer has room. */
#ifdef WRONG
#define WHOLE(n) (n)
#else
#define WHOLE(n) (((n) + 3) / 4 * 4)
#endif

kernel void square(global const uint *in, global uint *out, uint n) {
  local uint tile[32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 32, left = min((size_t)32, n - at);
  tile[i] = in[at + i] * in[at + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t stored = async_work_group_copy(out + at, tile, WHOLE(left), 0); /* HERE */
  wait_group_events(1, &stored);
}
