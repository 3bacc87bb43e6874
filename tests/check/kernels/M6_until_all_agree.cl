// Relaxes a line until no work-item changes anything; with -D WRONG only the vote about that separates an iteration's
// writes from the next one's reads.
kernel void relax(global uint *line) {
  uint l = get_local_id(0), n = get_local_size(0);
  bool changed;
  do {
    uint mine = line[l], left = line[l ? l - 1 : 0]; /* OTHER */
    barrier(CLK_GLOBAL_MEM_FENCE);
    changed = left > mine;
    if (changed)
      line[l] = left; /* HERE */
#ifndef WRONG
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  } while (work_group_any(changed));
}
