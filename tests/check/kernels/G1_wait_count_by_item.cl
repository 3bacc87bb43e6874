/* Wrong: work-items wait for one event or for two, then all wait again for the second. Right: all wait for both. */
kernel void store_both(global const int *in, global int *sums, global int *differences) {
  local int sum[64], difference[64];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  const int a = in[at + i], b = in[at + 63 - i];
  sum[i] = a + b;
  difference[i] = a - b;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t stored[2];
  stored[0] = async_work_group_copy(sums + at, sum, 64, 0);
  stored[1] = async_work_group_copy(differences + at, difference, 64, 0);
#ifdef WRONG
  wait_group_events(1 + i % 2, stored); /* HERE */
  wait_group_events(1, stored + 1);
#else
  wait_group_events(2, stored);
#endif
}
