/* The same stream through two buffers: while the warps use one, a copy fills the other. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void double_buffer(global const uint *in, global uint *out, uint tiles) {
  local uint buffers[2][256];
  uint i = get_local_id(0), hash = 0;
  event_t this = async_work_group_copy(buffers[0], in, 256, 0);
  event_t next = async_work_group_copy(buffers[1], in + 256, 256, 0);
  for (uint tile = 0; tile < tiles; tile++) {
    local uint *buffer = buffers[tile & 1];
    wait_group_events(1, &this);
#pragma unroll
    for (uint word = 0; word < 4; word++)
      hash = (rotate(hash, 5u) ^ buffer[word * 64 + i]) * 16777619u;
    barrier(CLK_LOCAL_MEM_FENCE);              /* all warps have read this buffer: it may be refilled */
    this = next;
    if (tile + 2 < tiles)
      next = async_work_group_copy(buffer, in + (tile + 2) * 256, 256, 0);
  }
  out[i] = hash;
}
