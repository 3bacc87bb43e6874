/* Finds edges in a grayscale picture: each work-item reads its pixel's neighbors through the texture unit. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

static int gray(read_only image2d_t picture, int x, int y) {
  return read_imageui(picture, edge, (int2)(x, y)).x;
}

kernel void sobel(read_only image2d_t picture, write_only image2d_t edges) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int nw = gray(picture, x - 1, y - 1), n = gray(picture, x, y - 1), ne = gray(picture, x + 1, y - 1);
  const int w = gray(picture, x - 1, y), e = gray(picture, x + 1, y);
  const int sw = gray(picture, x - 1, y + 1), s = gray(picture, x, y + 1), se = gray(picture, x + 1, y + 1);
  const uint across = abs(ne + 2 * e + se - nw - 2 * w - sw), down = abs(sw + 2 * s + se - nw - 2 * n - ne);
  write_imageui(edges, (int2)(x, y), min(across + down, 255u));
}
