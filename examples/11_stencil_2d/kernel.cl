/* A five-point stencil over a matrix with a margin of one element on each side. A work-group computes 32 x 8
 * elements from a tile with a halo, 34 x 10 elements: 10 lines that lie `pitch` elements apart in the matrix.
 *
 * by_lines copies the tile line by line: one copy per line, all with the same event.
 * by_block copies it with a single 2D copy. */
#define WIDTH 32
#define HEIGHT 8
#define TILE_WIDTH (WIDTH + 2)
#define TILE_HEIGHT (HEIGHT + 2)

/* Each neighbor has a different weight, so mixing them up changes the result. */
uint five_points(const local uint *at) {
  return at[0] + 2 * at[-1] + 3 * at[1] + 5 * at[-TILE_WIDTH] + 7 * at[TILE_WIDTH];
}

void compute(const local uint *tile, global uint *out) {
  size_t x = get_global_id(0), y = get_global_id(1);
  const local uint *at = tile + (get_local_id(1) + 1) * TILE_WIDTH + get_local_id(0) + 1;
  out[y * get_global_size(0) + x] = five_points(at);
}

/* The index of the halo's first element in the matrix, margin included. */
uint corner(uint pitch) {
  return get_group_id(1) * HEIGHT * pitch + get_group_id(0) * WIDTH;
}

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void by_lines(global const uint *in, global uint *out, uint pitch) {
  local uint tile[TILE_WIDTH * TILE_HEIGHT];
  event_t event = 0;
  for (uint line = 0; line < TILE_HEIGHT; line++)
    event = async_work_group_copy(tile + line * TILE_WIDTH, in + corner(pitch) + line * pitch, TILE_WIDTH, event);
  wait_group_events(1, &event);
  compute(tile, out);
}

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void by_block(global const uint *in, global uint *out, uint pitch) {
  local uint tile[TILE_WIDTH * TILE_HEIGHT];
  event_t event = async_work_group_copy_2D2D(tile, 0, in, corner(pitch), sizeof(uint), TILE_WIDTH, TILE_HEIGHT, pitch,
                                             TILE_WIDTH, 0);
  wait_group_events(1, &event);
  compute(tile, out);
}
