// A copy in flight writes every third float, and work-items write the two between; with -D WRONG the third of them
// writes the copy's float.
#ifdef WRONG
#define LAST 3
#else
#define LAST 2
#endif

kernel void spread(global const float *in, global float *out) {
  local float tile[16];
  size_t l = get_local_id(0), i = get_global_id(0), first = 48 * get_group_id(0);
  event_t in_event = async_work_group_copy(tile, in + 16 * get_group_id(0), 16, 0);
  wait_group_events(1, &in_event);
  event_t e = async_work_group_strided_copy(out + first, tile, 16, 3, 0); /* OTHER */
  out[3 * i + 1] = tile[l] + 0.25f;
  if (l < 15)
    out[3 * i + LAST] = tile[l] + 0.5f; /* HERE */
  wait_group_events(1, &e);
}
