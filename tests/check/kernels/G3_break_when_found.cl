/* Wrong: a work-item leaves the loop of copies once it has found its value. Right: all run every iteration. */
kernel void find(global const uchar *in, global const uchar *wanted, global int *out) {
  local uchar lines[4 * 16];
  const size_t i = get_local_id(0);
  int found = -1;
  for (int k = 0; k < 4; k++) {
    event_t loaded = async_work_group_copy_2D2D(lines, k * 16, in, k * 32, 1, 4, 4, 8, 4, 0);
    wait_group_events(1, &loaded);
    for (int j = 0; j < 16; j++)
      if (lines[k * 16 + j] == wanted[i])
        found = k;
#ifdef WRONG
    if (found >= 0) /* OTHER */
      break;
#endif
  }
  out[i] = found;
}
