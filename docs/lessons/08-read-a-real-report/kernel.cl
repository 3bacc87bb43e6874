/* c = a * transpose(b): every row of a times every row of b, like attention scores. All matrices are N x N. A
 * work-group of 32 x 8 keeps 8 rows of a and 32 rows of b in the LDS, 32 columns at a time. */
kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void multiply(global const float *a, global const float *b, global float *c) {
  local float as[8 * 32], bs[32 * PITCH];
  uint x = get_local_id(0), y = get_local_id(1);
  uint row = get_group_id(1) * 8, column = get_group_id(0) * 32;
  float sum = 0;
  for (uint k = 0; k < N; k += 32) {
    event_t loaded = async_work_group_copy_2D2D(as, 0, a, row * N + k, sizeof(float), 32, 8, N, 32, 0);
    loaded = async_work_group_copy_2D2D(bs, 0, b, column * N + k, sizeof(float), 32, 32, N, PITCH, loaded);
    wait_group_events(1, &loaded);
    for (uint i = 0; i < 32; i++)
      sum += as[y * 32 + i] * bs[x * PITCH + i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[(row + y) * N + column + x] = sum;
}
