kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void lds_tile(global uint *out, uint loops) {
  local uint tile[256];
  uint i = get_local_id(0), sum = get_global_id(0);
  for (uint left = loops; left > 0; left--) {
    tile[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += (tile[(i + 1) & 255] + tile[(i + 17) & 255]) ^ (tile[255 - i] + tile[i ^ 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
