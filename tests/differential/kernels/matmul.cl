#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global const float *a, global const float *b, global float *c, int n) {
  local float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = get_global_id(1), column = get_global_id(0), y = get_local_id(1), x = get_local_id(0);
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; i++)
      sum = fma(tile_a[y][i], tile_b[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

kernel void matmul_copied(global const float *a, global const float *b, global float *c, int n, local float *rows) {
  int row = get_group_id(0), column = get_local_id(0);
  event_t copied = async_work_group_copy(rows, a + row * n, n, 0);
  wait_group_events(1, &copied);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum = fma(rows[k], b[k * n + column], sum);
  c[row * n + column] = sum;
}
