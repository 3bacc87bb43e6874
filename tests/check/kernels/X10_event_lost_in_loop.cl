/* Wrong: each iteration's copy has a separate event, and only the last one is waited for. Right: all copies share one
 * event. */
kernel void store_planes(global const short *in, global short *out) {
  local short plane[3 * 32];
  const size_t i = get_local_id(0);
  for (int k = 0; k < 3; k++)
    plane[k * 32 + i] = in[i] * (short)k;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t stored = 0;
  for (int k = 0; k < 3; k++) {
#ifdef WRONG
    event_t before = 0;
#else
    event_t before = stored;
#endif
    stored = async_work_group_copy_2D2D(out, k * 64, plane, k * 32, sizeof(short), 8, 4, 8, 16, before);
  }
  wait_group_events(1, &stored);
}
