// Even planes of a box are copied out while another copy fills the odd ones, and no fence is needed; with -D WRONG the
// odd ones are copied a plane too early.
#ifdef WRONG
#define PLANE 0
#else
#define PLANE 1
#endif

kernel void planes(global const float *in, global float *out) {
  local float box[128];
  uint l = get_local_id(0);
  size_t first = 256 * get_group_id(0);
  for (uint i = l; i < 128; i += 32)
    box[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e[2];
  e[0] = async_work_group_copy_3D3D(out, first, box, 0, 4, 4, 4, 4, 4, 32, 8, 64, 0);         /* OTHER */
  e[1] = async_work_group_copy_3D3D(box, 16 * PLANE, in, first, 4, 4, 4, 4, 8, 64, 4, 32, 0); /* HERE */
  wait_group_events(2, e);
  for (uint i = l; i < 128; i += 32)
    out[512 + first / 2 + i] = box[i];
}
