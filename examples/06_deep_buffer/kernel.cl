/* The same stream through a ring of `depth` buffers: up to depth - 1 copies are in flight while the warps
 * use a tile. A private array holds one event per buffer. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void deep_buffer(global const uint *in, global uint *out, uint tiles, uint depth) {
  local uint ring[6][256];
  event_t event[6];
  uint i = get_local_id(0), hash = 0, slot = 0;
  for (uint tile = 0; tile < depth && tile < tiles; tile++)
    event[tile] = async_work_group_copy(ring[tile], in + tile * 256, 256, 0);
  for (uint tile = 0; tile < tiles; tile++) {
    wait_group_events(1, &event[slot]);        /* the oldest copy */
#pragma unroll
    for (uint word = 0; word < 4; word++)
      hash = (rotate(hash, 5u) ^ ring[slot][word * 64 + i]) * 16777619u;
    barrier(CLK_LOCAL_MEM_FENCE);              /* all warps have read this buffer: it may be refilled */
    if (tile + depth < tiles)
      event[slot] = async_work_group_copy(ring[slot], in + (tile + depth) * 256, 256, 0);
    slot = slot + 1 == depth ? 0 : slot + 1;
  }
  out[i] = hash;
}
