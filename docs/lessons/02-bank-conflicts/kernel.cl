kernel void turn(global uint *out) {
  local uint tile[32 * STRIDE];
  uint i = get_local_id(0);
  tile[i * STRIDE] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[(31 - i) * STRIDE];
}
