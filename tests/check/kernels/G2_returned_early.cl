/* Wrong: work-items beyond the end return before the copy. Right: they take part in it and skip only their own
 * store. */
kernel void halve(global const float *in, global float *out, uint n) {
  local float tile[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
#ifdef WRONG
  if (at + i >= n) /* OTHER */
    return;
#endif
  event_t loaded = async_work_group_copy(tile, in + at, min((size_t)64, n - at), 0);
  wait_group_events(1, &loaded);
  if (at + i < n)
    out[at + i] = tile[i] * 0.5f;
}
