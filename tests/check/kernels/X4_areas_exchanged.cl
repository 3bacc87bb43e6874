/* Wrong: both sides' plane areas are swapped, and the source's is too small. Right: each is on its side. */
static event_t load(local long *box, global const long *in, size_t line, size_t area, size_t to_area) {
  return async_work_group_copy_3D3D(box, 0, in, 0, sizeof(long), 2, 4, 4, line, area, 2, to_area, 0); /* HERE */
}

kernel void corner(global const long *in, global long *out) {
  local long box[3 * 32 + 8];
  const size_t i = get_local_id(0);
  for (size_t k = i; k < 104; k += 32)
    box[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  event_t loaded = load(box, in, 4, 8, 32);
#else
  event_t loaded = load(box, in, 4, 32, 8);
#endif
  wait_group_events(1, &loaded);
  out[i] = box[i];
}
