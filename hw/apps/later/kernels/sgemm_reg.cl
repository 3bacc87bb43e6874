/* C = A B, n x n, tiles of 64 x 64 by 256 work-items that hold EACH x EACH results in registers. */
#define TS 64
#define TK 16
#define EACH 4
kernel void sgemm_reg(global const float *a, global const float *b, global float *c, int n) {
  local float ta[TK][TS + PAD], tb[TK][TS];
  int lx = get_local_id(0), ly = get_local_id(1), l = ly * 16 + lx;
  int row = get_group_id(1) * TS, col = get_group_id(0) * TS;
  float sum[EACH][EACH];
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++)
      sum[i][j] = 0;
  for (int k = 0; k < n; k += TK) {
    for (int i = l; i < TS * TK; i += 256) {
      ta[i % TK][i / TK] = a[(row + i / TK) * n + k + i % TK];
      tb[i / TS][i % TS] = b[(k + i / TS) * n + col + i % TS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int kk = 0; kk < TK; kk++) {
      float x[EACH], y[EACH];
      for (int i = 0; i < EACH; i++) {
        x[i] = ta[kk][ly + 16 * i];
        y[i] = tb[kk][lx + 16 * i];
      }
      for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
          sum[i][j] += x[i] * y[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++)
      c[(row + ly + 16 * i) * n + col + lx + 16 * j] = sum[i][j];
}
