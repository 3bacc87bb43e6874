// Eight copies with one event write 16 adjacent bytes each; with -D WRONG they are 15 bytes apart.
#ifdef WRONG
#define STEP 15
#else
#define STEP 16
#endif

kernel void stream(global const char *in, global char *out) {
  local char tile[128];
  size_t first = 128 * get_group_id(0);
  event_t e = 0;
  for (uint k = 0; k < 8; k++)
    e = async_work_group_copy(tile + STEP * k, in + first + 16 * k, 16, e); /* HERE, OTHER */
  wait_group_events(1, &e);
  for (uint l = get_local_id(0); l < 8 * STEP; l += 32)
    out[first + l] = tile[l];
}
