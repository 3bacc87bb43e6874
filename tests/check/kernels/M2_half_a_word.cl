// A pair of shorts is stored as one word of the LDS, at an even short; with -D WRONG at an odd one.
#ifdef WRONG
#define ODD 1
#else
#define ODD 0
#endif

kernel void pairs(global const ushort *in, global uint *out) {
  local ushort room[66];
  uint l = get_local_id(0);
  *(local uint *)(room + 2 * l + ODD) = in[l] * 0x10001u; /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  ushort low = room[2 * (31 - l) + ODD], high = room[2 * (31 - l) + 1 + ODD];
  out[l] = low | (uint)high << 16;
}
