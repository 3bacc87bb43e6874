//// a_resource_held_while
kernel void k(global const float *in, global float *out, int tiles) {
  local float t[2][256];
  const size_t n = get_num_groups(0), g = get_group_id(0), l = get_local_id(0);
  event_t e[2];
  e[0] = async_work_group_copy(t[0], in + g * 256, 256, 0);
  float sum = 0;
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles)
      e[(i + 1) % 2] = async_work_group_copy(t[(i + 1) % 2], in + ((i + 1) * n + g) * 256, 256, 0);
    wait_group_events(1, &e[i % 2]);
    for (int j = 0; j < 4; j++)
      sum += t[i % 2][l + 64 * j];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
