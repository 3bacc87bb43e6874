/* Wrong: half of the work-group ends without waiting for planes that it does not read. Right: all wait. */
kernel void planes(global const short *in, global short *out) {
  local short box[2 * 4 * 8];
  const size_t i = get_local_id(0);
  event_t loaded = async_work_group_copy_3D3D(box, 0, in, 0, sizeof(short), 8, 4, 2, 16, 128, 8, 32, 0);
#ifdef WRONG
  if (i < 64)
    return;
#endif
  wait_group_events(1, &loaded); /* HERE */
  if (i >= 64)
    out[i - 64] = box[i - 64];
}
