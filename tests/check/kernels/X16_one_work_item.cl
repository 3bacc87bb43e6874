// A work-group of one work-item reads a tile and copies over it, ordered by its program order, which is the whole
// work-group's. With -D WRONG the work-group has two.
#ifdef WRONG
#define ITEMS 2
#else
#define ITEMS 1
#endif

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void alone(global const int *in, global int *out) {
  local int tile[4];
  int sum = 0;
  for (int t = 0; t < 3; t++) {
    event_t e = async_work_group_copy(tile, in + 4 * t, 4, 0); /* HERE */
    wait_group_events(1, &e);
    sum += tile[t]; /* OTHER */
  }
  out[get_global_id(0)] = sum;
}
