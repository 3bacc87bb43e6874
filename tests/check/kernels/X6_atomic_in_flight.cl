// A copy brings the initial counts and work-items add theirs: after the wait, with -D WRONG before it; an atomic
// addition is not ordered against a copy.
kernel void counts(global const int *in, global int *out) {
  local int bins[16];
  uint l = get_local_id(0);
  event_t e = async_work_group_copy(bins, in, 16, 0); /* OTHER */
#ifndef WRONG
  wait_group_events(1, &e);
#endif
  atomic_add(&bins[l % 16], 1); /* HERE */
#ifdef WRONG
  wait_group_events(1, &e);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = bins[l / 4];
}
