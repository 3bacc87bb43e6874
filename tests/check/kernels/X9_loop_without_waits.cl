// A window moves over a buffer two thousand times, with a wait for each copy before the next; with -D WRONG all are in
// flight until the last wait, and write one tile.
kernel void window(global const int *in, global int *out) {
  local int tile[512];
  event_t event = 0;
  for (uint k = 0; k < 2000; k++) {
#ifdef WRONG
    event = async_work_group_copy(tile, in + k, 512, event); /* HERE, OTHER */
  }
  wait_group_events(1, &event);
#else
    event = async_work_group_copy(tile, in + k, 512, 0);
    wait_group_events(1, &event);
  }
#endif
  out[get_global_id(0)] = tile[get_local_id(0)];
}
