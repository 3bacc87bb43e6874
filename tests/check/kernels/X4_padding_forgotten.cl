/* Wrong: the box's plane area excludes the padding of its lines. Right: it includes the padding. */
enum { WIDTH = 4, LINES = 4, PLANES = 2, PITCH = WIDTH + 1 };

kernel void load(global const float *in, global float *out) {
  local float box[PLANES * LINES * PITCH];
  const size_t x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
  const size_t at = (z * LINES + y) * PITCH + x;
#ifdef WRONG
  const size_t area = LINES * WIDTH;
#else
  const size_t area = LINES * PITCH;
#endif
  box[at] = -1.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t loaded = async_work_group_copy_3D3D(box, 0, in, 0, sizeof(float), WIDTH, LINES, PLANES, /* HERE */
                                              8, 32, PITCH, area, 0);
  wait_group_events(1, &loaded);
  out[(z * LINES + y) * WIDTH + x] = box[at];
}
