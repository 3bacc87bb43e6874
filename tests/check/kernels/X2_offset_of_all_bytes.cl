/* A copy of a plane, at an offset of 4 elements. With -D WRONG it is 2^62 elements more, of 4 bytes each: 2^64 bytes,
 * the range of an address, which must not wrap around. */
#ifdef WRONG
#define FURTHER ((size_t)1 << 62)
#else
#define FURTHER 0
#endif

kernel void plane(global const float *in, global float *out, uint bytes) {
  local float tile[16];
  const size_t i = get_local_id(0);
  tile[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_3D3D(out, 4 + FURTHER, tile, 0, bytes, 4, 2, 2, 4, 8, 4, 8, 0); /* HERE */
  event_t f = async_work_group_copy_2D2D(out, 24 + FURTHER, tile, 0, 4, 4, 4, 4, 4, 0);             /* HERE */
  wait_group_events(1, &e);
  wait_group_events(1, &f);
}
