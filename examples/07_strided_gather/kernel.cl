/* Gathers every stride-th word of an array into the LDS with one strided copy, as if reading a column of a
 * matrix whose rows are `stride` words long. Then it writes them out without gaps. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void strided_gather(global const uint *in, global uint *out, uint stride) {
  local uint column[256];
  uint i = get_local_id(0), first = get_group_id(0) * 256;
  event_t event = async_work_group_strided_copy(column, in + first * stride, 256, stride, 0);
  wait_group_events(1, &event);
#pragma unroll
  for (uint row = 0; row < 256; row += 64)
    out[first + row + i] = column[row + i];
}
