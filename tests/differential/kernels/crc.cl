kernel void crc32(global const uchar *data, global uint *out, uint length) {
  local uint table[256];
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
    uint crc = i;
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    table[i] = crc;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint crc = ~0u;
  global const uchar *at = data + get_global_id(0) * length;
  for (uint i = 0; i < length; i++)
    crc = table[(crc ^ at[i]) & 255] ^ crc >> 8;
  out[get_global_id(0)] = ~crc;
}
