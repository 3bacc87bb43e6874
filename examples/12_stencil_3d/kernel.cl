/* A seven-point stencil over a volume with a margin of one element on each side. A work-group computes 16 x 4 x 4
 * elements from a tile with a halo, 18 x 6 x 6, which one 3D copy loads. Another 3D copy writes the results from a
 * separate LDS array. */
#define WIDTH 16
#define HEIGHT 4
#define DEPTH 4
#define LINE (WIDTH + 2)
#define PLANE (LINE * (HEIGHT + 2))

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, DEPTH)))
void stencil(global const uint *in, global uint *out, uint line, uint plane) {
  local uint tile[PLANE * (DEPTH + 2)], result[WIDTH * HEIGHT * DEPTH];
  size_t x = get_group_id(0) * WIDTH, y = get_group_id(1) * HEIGHT, z = get_group_id(2) * DEPTH;

  event_t event = async_work_group_copy_3D3D(tile, 0, in, z * plane + y * line + x, sizeof(uint), LINE, HEIGHT + 2,
                                             DEPTH + 2, line, plane, LINE, PLANE, 0);
  wait_group_events(1, &event);

  /* Each neighbor has a different weight, so mixing them up changes the result. */
  const local uint *at = tile + (get_local_id(2) + 1) * PLANE + (get_local_id(1) + 1) * LINE + get_local_id(0) + 1;
  result[get_local_linear_id()] =
      at[0] + 2 * at[-1] + 3 * at[1] + 5 * at[-LINE] + 7 * at[LINE] + 11 * at[-PLANE] + 13 * at[PLANE];
  barrier(CLK_LOCAL_MEM_FENCE);

  size_t out_line = get_global_size(0), out_plane = out_line * get_global_size(1);
  event = async_work_group_copy_3D3D(out, z * out_plane + y * out_line + x, result, 0, sizeof(uint), WIDTH, HEIGHT, DEPTH,
                                     WIDTH, WIDTH * HEIGHT, out_line, out_plane, 0);
  wait_group_events(1, &event);
}
