/* Streams tiles through one buffer: copy a tile in, wait for it, use it, then request the next one. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void single_buffer(global const uint *in, global uint *out, uint tiles) {
  local uint buffer[256];
  uint i = get_local_id(0), hash = 0;
  for (uint tile = 0; tile < tiles; tile++) {
    event_t event = async_work_group_copy(buffer, in + tile * 256, 256, 0);
    wait_group_events(1, &event);              /* nothing else to do meanwhile */
#pragma unroll
    for (uint word = 0; word < 4; word++)
      hash = (rotate(hash, 5u) ^ buffer[word * 64 + i]) * 16777619u;
    barrier(CLK_LOCAL_MEM_FENCE);              /* all warps have read the tile: it may be overwritten */
  }
  out[i] = hash;
}
