// A work-item reads what a copy then also reads, and after the wait another one writes it: the wait covers only the
// copy. -D WRONG omits the barrier that orders the two work-items.
kernel void send(global int *parts, global int *out) {
  local int words[64];
  uint l = get_local_id(0);
  int first = 0;
  words[l] = 5 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    first = words[3]; /* OTHER */
  event_t event = async_work_group_copy(parts, words, 64, 0);
  wait_group_events(1, &event);
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (l == 40)
    words[3] = 7; /* HERE */
  out[l] = first;
}
