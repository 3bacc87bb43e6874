// Each work-group copies its 64 words and one more on each side, and writes the sum of three to another buffer; with -D
// WRONG to their source, although a neighbor's copy reads there too.
kernel void smooth(global uint *data, global uint *out) {
  local uint tile[66];
  size_t l = get_local_id(0);
  event_t e = async_work_group_copy(tile, data + 64 * get_group_id(0), 66, 0); /* OTHER */
  wait_group_events(1, &e);
#ifdef WRONG
  out = data;
#endif
  out[get_global_id(0) + 1] = tile[l] + tile[l + 1] + tile[l + 2]; /* HERE */
}
