/* Transposes a matrix of 32 x 32 words through the LDS: rows go in, columns come out. `pitch` is the
 * distance between rows in the LDS. */
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void transpose(global const uint *in, global uint *out, uint pitch) {
  local uint tile[32 * 33];
  for (uint i = get_local_id(0); i < 1024; i += 256)
    tile[i / 32 * pitch + i % 32] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < 1024; i += 256)
    out[i] = tile[i % 32 * pitch + i / 32];    /* tile[column][row]: the access to watch */
}
