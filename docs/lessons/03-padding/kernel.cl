kernel void row_sums(global uint *out) {
  local uint tile[32 * PITCH];
  uint i = get_local_id(0), sum = 0;
  for (uint row = 0; row < 32; row++)
    tile[row * PITCH + i] = row * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint column = 0; column < 32; column++)
    sum += tile[i * PITCH + column];
  out[i] = sum;
}
