// Two concurrent kernels copy to an image, one to the left and one to the right half of its lines; with -D WRONG the
// halves overlap by a word.
#ifdef WRONG
#define HALF 7
#else
#define HALF 8
#endif

void lines(local int *tile, global const int *in, global int *out, uint column) {
  event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
  wait_group_events(1, &e);
  size_t corner = 128 * get_group_id(0) + column;
  event_t f = async_work_group_copy_2D2D(out, corner, tile, 0, 4, 8, 8, 8, 16, 0); /* HERE, OTHER */
  wait_group_events(1, &f);
}

kernel void left(global const int *in, global int *out) {
  local int tile[64];
  lines(tile, in, out, 0);
}

kernel void right(global const int *in, global int *out) {
  local int tile[64];
  lines(tile, in, out, HALF);
}
