kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void strided_gather(global const uint *in, global uint *out, uint loops) {
  local uint column[256];
  uint i = get_local_id(0), sum = 0;
  for (uint left = loops; left > 0; left--) {
    event_t event = async_work_group_strided_copy(column, in + (left & 63), 256, 64, 0);
    wait_group_events(1, &event);
    sum = (rotate(sum, 1u) + (column[i] + column[i + 64])) ^ (column[i + 128] + column[i + 192]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
