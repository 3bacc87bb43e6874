/* Wrong: the helper waits for each copy and returns its event, which the next copy joins. Right: it waits after the
 * last one. */
static event_t load(local long *to, global const long *from, event_t joined, bool last) {
  event_t loaded = async_work_group_copy(to, from, 32, joined); /* HERE */
#ifdef WRONG
  wait_group_events(1, &loaded);
#else
  if (last)
    wait_group_events(1, &loaded);
#endif
  return loaded;
}

kernel void reverse(global const long *in, global long *out) {
  local long tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  event_t loaded = load(tile, in + at, 0, false);
  load(tile + 32, in + at + 32, loaded, true);
  out[at + i] = tile[63 - i];
}
