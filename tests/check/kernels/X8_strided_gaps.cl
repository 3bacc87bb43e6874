// Work-items write the shorts between those that a strided copy reads, and need no barrier; with -D WRONG they write
// the shorts that it reads.
#ifdef WRONG
#define BESIDE 0
#else
#define BESIDE 1
#endif

kernel void every_fourth(global short *data, global short *out) {
  local short tile[32];
  size_t i = get_global_id(0);
  data[4 * i + BESIDE] = i;                                                                /* OTHER */
  event_t e = async_work_group_strided_copy(tile, data + 128 * get_group_id(0), 32, 4, 0); /* HERE */
  wait_group_events(1, &e);
  out[i] = tile[get_local_id(0)];
}
