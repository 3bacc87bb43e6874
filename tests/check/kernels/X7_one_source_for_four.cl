// Four copies move one piece into four tiles, and the piece is changed after all are complete; with -D WRONG the last
// of them is still in flight.
#ifdef WRONG
#define FIRST_WAIT 3
#else
#define FIRST_WAIT 4
#endif

kernel void spread(global int *in, global int *out) {
  local int tile[4][32];
  event_t e[4];
  size_t l = get_local_id(0), first = 32 * get_group_id(0);
  for (int k = 0; k < 4; k++)
    e[k] = async_work_group_copy(tile[k], in + first, 32, 0); /* OTHER */
  wait_group_events(FIRST_WAIT, e);
  in[first + l] = 0; /* HERE */
  wait_group_events(4 - FIRST_WAIT, e + FIRST_WAIT);
  for (int k = 0; k < 4; k++)
    out[4 * first + 32 * k + l] = tile[k][l];
}
