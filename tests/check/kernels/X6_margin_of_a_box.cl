// Work-items fill the margin of a box of 6 x 6 x 6 while a copy fills the 4 x 4 x 4 inside; with -D WRONG the left
// margin is a column too wide.
#ifdef WRONG
#define WIDE 1
#else
#define WIDE 0
#endif

void put(local short *room, uint at) { room[at] = -7; /* HERE */ }

kernel void box(global const short *in, global short *out) {
  local short room[216];
  uint l = get_local_id(0);
  event_t e = async_work_group_copy_3D3D(room, 43, in, 0, 2, 4, 4, 4, 16, 256, 6, 36, 0); /* OTHER */
  for (uint i = l; i < 216; i += 64) {
    uint x = i % 6, y = i / 6 % 6, z = i / 36;
    if (x <= WIDE || x == 5 || y == 0 || y == 5 || z == 0 || z == 5)
      put(room, i);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  wait_group_events(1, &e);
  for (uint i = l; i < 216; i += 64)
    out[i] = room[i];
}
