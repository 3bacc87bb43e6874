/* Finds edges in a grayscale picture: a work-group reads its part and one more pixel on each side into the LDS, each pixel once. */
#define WIDTH 32
#define HEIGHT 8

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void sobel(read_only image2d_t picture, write_only image2d_t edges) {
  local int tile[HEIGHT + 2][WIDTH + 2];
  const int i = get_local_id(0), j = get_local_id(1);
  const int left = get_group_id(0) * WIDTH - 1, top = get_group_id(1) * HEIGHT - 1;
  for (int at = j * WIDTH + i; at < (HEIGHT + 2) * (WIDTH + 2); at += WIDTH * HEIGHT) {
    const int x = at % (WIDTH + 2), y = at / (WIDTH + 2);
    tile[y][x] = read_imageui(picture, edge, (int2)(left + x, top + y)).x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int nw = tile[j][i], n = tile[j][i + 1], ne = tile[j][i + 2];
  const int w = tile[j + 1][i], e = tile[j + 1][i + 2];
  const int sw = tile[j + 2][i], s = tile[j + 2][i + 1], se = tile[j + 2][i + 2];
  const uint across = abs(ne + 2 * e + se - nw - 2 * w - sw), down = abs(sw + 2 * s + se - nw - 2 * n - ne);
  write_imageui(edges, (int2)(get_global_id(0), get_global_id(1)), min(across + down, 255u));
}
