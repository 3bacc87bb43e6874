// Work-groups copy 33 adjacent bytes each, so that two of them share a word; with -D WRONG they share a byte.
#ifdef WRONG
#define APART 32
#else
#define APART 33
#endif

kernel void pieces(global const uchar *in, global uchar *out) {
  local uchar tile[33];
  event_t e = async_work_group_copy(tile, in + 33 * get_group_id(0), 33, 0);
  wait_group_events(1, &e);
  event_t f = async_work_group_copy(out + APART * get_group_id(0), tile, 33, 0); /* HERE, OTHER */
  wait_group_events(1, &f);
}
