/* Wrong: some work-items skip an iteration of the loop, including its copy. Right: they take part in the copy and skip
 * the sum. */
kernel void sum_some(global const float4 *in, global const int *skip, global float4 *out) {
  local float4 tile[4 * 32];
  const size_t i = get_local_id(0), at = get_group_id(0) * 128;
  float4 total = 0;
  for (int k = 0; k < 4; k++) {
#ifdef WRONG
    if (skip[i] == k)
      continue;
#endif
    event_t loaded = async_work_group_copy(tile + k * 32, in + at + k * 32, 32, 0);
    wait_group_events(1, &loaded);
    if (skip[i] != k)
      total += tile[k * 32 + i];
  }
  out[get_global_id(0)] = total;
}
