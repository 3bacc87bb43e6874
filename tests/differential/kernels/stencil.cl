kernel void stencil3d(global const float *in, global float *out) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  size_t nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2), at = (z * ny + y) * nx + x;
  if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
    out[at] = in[at];
    return;
  }
  out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1]) + 0.0625f * (in[at - nx] + in[at + nx]) +
            0.0625f * (in[at - nx * ny] + in[at + nx * ny]);
}

constant float mask[5][5] = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

kernel void convolution(global const uchar4 *image, global uchar4 *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) {
      int sx = clamp(x + i, 0, width - 1), sy = clamp(y + j, 0, height - 1);
      sum += convert_float4(image[sy * width + sx]) * mask[j + 2][i + 2];
    }
  out[y * width + x] = convert_uchar4_sat_rte(sum / 256.0f);
}
