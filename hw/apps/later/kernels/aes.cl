/* Rounds of a block cipher by tables in the LDS. */
kernel void aes(global const uint4 *in, global uint4 *out, global const uint *table, constant uint4 *keys, uint rounds) {
  local uint t[256];
  t[get_local_id(0)] = table[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint4 s = in[get_global_id(0)] ^ keys[0];
#define RND(A, B, C, D) (t[(A) & 255] ^ rotate(t[((B) >> 8) & 255], 8u) ^ rotate(t[((C) >> 16) & 255], 16u) ^ rotate(t[(D) >> 24], 24u))
  for (uint r = 1; r < rounds; r++)
    s = (uint4)(RND(s.x, s.y, s.z, s.w), RND(s.y, s.z, s.w, s.x), RND(s.z, s.w, s.x, s.y), RND(s.w, s.x, s.y, s.z)) ^ keys[r];
  out[get_global_id(0)] = s;
}
