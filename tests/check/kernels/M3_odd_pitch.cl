/* The copy engine accepts only lines of 16 bytes. Wrong: a gap of one element separates the tile's lines, to avoid bank
 * conflicts. Right: the gap is four elements. */
#ifdef WRONG
#define GAP 1
#else
#define GAP 4
#endif

kernel void turn(global const int *in, global int *out) {
  local int tile[8 * (8 + GAP)];
  const size_t i = get_local_id(0);
  event_t loaded = async_work_group_copy_2D2D(tile, 0, in, 0, sizeof(int), 8, 8, 8, 8 + GAP, 0); /* HERE */
  wait_group_events(1, &loaded);
  out[i] = tile[i % 8 * (8 + GAP) + i / 8];
}
