/* Wrong: every other work-item runs one iteration more of the loop that copies. Right: all run the same number. */
kernel void sum(global const int *in, global int *out) {
  local int tile[3 * 64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 192;
#ifdef WRONG
  const size_t turns = 2 + i % 2;
#else
  const size_t turns = 3;
#endif
  int total = 0;
  for (size_t k = 0; k < turns; k++) {
    event_t loaded = async_work_group_copy(tile + k * 64, in + at + k * 64, 64, 0); /* HERE */
    wait_group_events(1, &loaded); /* HERE */
    total += tile[k * 64 + i];
  }
  out[get_global_id(0)] = total;
}
