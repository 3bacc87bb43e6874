// A box of 4 x 4 x 4 words is copied into an LDS box of 6 x 6 x 6 with a margin of zeros. Work-items read the margin
// while the copy is in flight, and with -D WRONG one plane too many.
#ifdef WRONG
#define PLANE 1
#else
#define PLANE 0
#endif

kernel void box(global const int *in, global int *out) {
  local int room[216];
  uint l = get_local_id(0), x = 1 + l % 4, y = 1 + l / 4 % 4, z = 1 + l / 16;
  for (uint i = l; i < 216; i += 64)
    room[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_3D3D(room, 43, in, 0, 4, 4, 4, 4, 8, 64, 6, 36, 0); /* OTHER */
  int v = room[36 * z + 6 * y] + room[36 * z + 6 * y + 5] + room[36 * z + x] + room[36 * z + 30 + x];
  v += room[36 * PLANE + 6 * y + x]; /* HERE */
  wait_group_events(1, &e);
  out[l] = v + room[36 * z + 6 * y + x];
}
