/* The stencil of example 11 with a ring: a work-group moves down a strip of the matrix that is 32 elements wide and
 * `tiles` tiles of 8 lines high. Up to DEPTH - 1 tiles, each with its halo, are in flight while it uses one. */
#ifndef DEPTH
#define DEPTH 2
#endif
#define WIDTH 32
#define HEIGHT 8
#define TILE_WIDTH (WIDTH + 2)
#define TILE_HEIGHT (HEIGHT + 2)

/* Each neighbor has a different weight, so mixing them up changes the result. */
uint five_points(const local uint *at) {
  return at[0] + 2 * at[-1] + 3 * at[1] + 5 * at[-TILE_WIDTH] + 7 * at[TILE_WIDTH];
}

/* One tile with its halo: TILE_HEIGHT lines that lie `pitch` elements apart. */
event_t fetch(local uint *tile, global const uint *corner, uint pitch) {
  return async_work_group_copy_2D2D(tile, 0, corner, 0, sizeof(uint), TILE_WIDTH, TILE_HEIGHT, pitch, TILE_WIDTH, 0);
}

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void stencil(global const uint *in, global uint *out, uint pitch, uint tiles) {
  local uint ring[DEPTH][TILE_WIDTH * TILE_HEIGHT];
  event_t event[DEPTH];
  uint x = get_local_id(0), y = get_local_id(1), width = get_global_size(0), slot = 0;
  uint lines = get_group_id(1) * tiles * HEIGHT;    /* lines above this strip */
  in += lines * pitch + get_group_id(0) * WIDTH;
  out += (lines + y) * width + get_global_id(0);
  for (uint tile = 0; tile < DEPTH && tile < tiles; tile++)
    event[tile] = fetch(ring[tile], in + tile * HEIGHT * pitch, pitch);
  for (uint tile = 0; tile < tiles; tile++) {
    wait_group_events(1, &event[slot]);             /* the oldest copy */
    out[tile * HEIGHT * width] = five_points(ring[slot] + (y + 1) * TILE_WIDTH + x + 1);
    barrier(CLK_LOCAL_MEM_FENCE);                   /* all warps have read this tile: its buffer may be refilled */
    if (tile + DEPTH < tiles)
      event[slot] = fetch(ring[slot], in + (tile + DEPTH) * HEIGHT * pitch, pitch);
    slot = slot + 1 == DEPTH ? 0 : slot + 1;
  }
}
