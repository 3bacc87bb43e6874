/* A stream of tiles through a ring of DEPTH buffers, set by -D. */
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void ring(global const uint *in, global uint *out) {
  local uint buffer[DEPTH][64];
  event_t event[DEPTH];
  uint i = get_local_id(0), sum = 0;
  for (uint tile = 0; tile < DEPTH; tile++)
    event[tile] = async_work_group_copy(buffer[tile], in + tile * 64, 64, 0);
  for (uint tile = 0; tile < 12; tile++) {
    wait_group_events(1, &event[tile % DEPTH]);
    sum += buffer[tile % DEPTH][i] * buffer[tile % DEPTH][i + 32];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile + DEPTH < 12)
      event[tile % DEPTH] = async_work_group_copy(buffer[tile % DEPTH], in + (tile + DEPTH) * 64, 64, 0);
  }
  out[i] = sum;
}
