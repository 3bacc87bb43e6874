// Words are written, read by bytes after a barrier, and written again after another, each time by other work-items;
// with -D WRONG the bytes are written while other work-items read the words.
kernel void words(global uint *out) {
  local uint room[64];
  local uchar *bytes = (local uchar *)room;
  uint l = get_local_id(0), v = 0;
  room[l] = 0x01010101 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 4; k++)
    v += bytes[64 * k + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  v += room[63 - l]; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  bytes[4 * l + 1] = v; /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = room[l];
}
