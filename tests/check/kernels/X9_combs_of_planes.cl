// Three copies fill a box whose lines and planes interleave: even planes, and of the odd ones even and odd lines; with
// -D WRONG the third one starts a line too early.
#ifdef WRONG
#define LINE 0
#else
#define LINE 1
#endif

kernel void combs(global const ushort *in, global ushort *out) {
  local ushort box[256];
  for (uint i = get_local_id(0); i < 256; i += 32)
    box[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = 0;
  e = async_work_group_copy_3D3D(box, 0, in, 0, 2, 8, 4, 4, 16, 256, 8, 64, e);
  e = async_work_group_copy_3D3D(box, 32, in, 1024, 2, 8, 2, 4, 16, 256, 16, 64, e);            /* OTHER */
  e = async_work_group_copy_3D3D(box, 32 + 8 * LINE, in, 2048, 2, 8, 2, 4, 16, 256, 16, 64, e); /* HERE */
  wait_group_events(1, &e);
  for (uint i = get_local_id(0); i < 256; i += 32)
    out[i] = box[255 - i];
}
