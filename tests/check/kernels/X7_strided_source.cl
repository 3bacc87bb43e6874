// A copy in flight reads every fourth word of the data, while work-items read the same words and change those between;
// with -D WRONG they change the words themselves.
#ifdef WRONG
#define BESIDE 0
#else
#define BESIDE 3
#endif

kernel void odds(global int *data, global int *out) {
  local int tile[32];
  size_t l = get_local_id(0), i = get_global_id(0);
  event_t e = async_work_group_strided_copy(tile, data + 128 * get_group_id(0), 32, 4, 0); /* OTHER */
  int v = data[4 * i];
  data[4 * i + BESIDE] = v + 1; /* HERE */
  wait_group_events(1, &e);
  out[i] = tile[l];
}
