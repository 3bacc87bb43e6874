/* Cosine transforms of 8 x 8 blocks by way of the LDS: 32 x 8 work-items take four blocks. */
constant float C[8][8] = {
    {0.353553f, 0.353553f, 0.353553f, 0.353553f, 0.353553f, 0.353553f, 0.353553f, 0.353553f},
    {0.490393f, 0.415735f, 0.277785f, 0.097545f, -0.097545f, -0.277785f, -0.415735f, -0.490393f},
    {0.461940f, 0.191342f, -0.191342f, -0.461940f, -0.461940f, -0.191342f, 0.191342f, 0.461940f},
    {0.415735f, -0.097545f, -0.490393f, -0.277785f, 0.277785f, 0.490393f, 0.097545f, -0.415735f},
    {0.353553f, -0.353553f, -0.353553f, 0.353553f, 0.353553f, -0.353553f, -0.353553f, 0.353553f},
    {0.277785f, -0.490393f, 0.097545f, 0.415735f, -0.415735f, -0.097545f, 0.490393f, -0.277785f},
    {0.191342f, -0.461940f, 0.461940f, -0.191342f, -0.191342f, 0.461940f, -0.461940f, 0.191342f},
    {0.097545f, -0.277785f, 0.415735f, -0.490393f, 0.490393f, -0.415735f, 0.277785f, -0.097545f}};
kernel void dct8x8(global const float *in, global float *out, int width) {
  local float block[8][33], half_done[8][33];
  int lx = get_local_id(0), ly = get_local_id(1), bx = lx & ~7, u = lx & 7;
  int at = get_global_id(1) * width + get_global_id(0);
  block[ly][lx] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int i = 0; i < 8; i++)
    sum += block[ly][bx + i] * C[u][i];
  half_done[ly][lx] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (int i = 0; i < 8; i++)
    sum += half_done[i][lx] * C[ly][i];
  out[at] = sum;
}
