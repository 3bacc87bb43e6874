#define TILE 16
kernel void transpose(global const uint *in, global uint *out, uint width, uint height, local uint *tile) {
  size_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  if (x < width && y < height)
    tile[ly * (TILE + 1) + lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + lx;
  y = get_group_id(0) * TILE + ly;
  if (x < height && y < width)
    out[y * height + x] = tile[lx * (TILE + 1) + ly];
}

kernel void transpose_strided(global const int4 *in, global int4 *out, uint width, uint height, local int4 *column) {
  size_t group = get_group_id(0);
  event_t event = async_work_group_strided_copy(column, in + group, height, width, 0);
  wait_group_events(1, &event);
  for (size_t i = get_local_id(0); i < height; i += get_local_size(0))
    column[i] = column[i].wzyx;
  barrier(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_copy(out + group * height, column, height, 0);
  wait_group_events(1, &event);
}
