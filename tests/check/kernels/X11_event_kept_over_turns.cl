/* Wrong: the event is null only in the first iteration, and released in the others. Right: it is null in each. */
kernel void sum_lines(global const uchar4 *in, global uchar4 *out) {
  local uchar4 line[4 * 32];
  const size_t i = get_local_id(0);
  uchar4 total = 0;
#ifdef WRONG
  event_t loaded = 0;
#endif
  for (size_t k = 0; k < 4; k++) {
#ifndef WRONG
    event_t loaded = 0;
#endif
    loaded = async_work_group_strided_copy(line + k * 32, in + k, 32, 4, loaded); /* HERE */
    wait_group_events(1, &loaded);
    total += line[k * 32 + i];
  }
  out[i] = total;
}
