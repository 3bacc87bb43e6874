/* Example 06 as you would write it for real: the ring has DEPTH buffers, and the kernel allocates no more LDS. Each
 * work-group hashes its own stream, and up to DEPTH - 1 of its copies are in flight while it uses a tile. */
#ifndef DEPTH
#define DEPTH 2
#endif
#define TILE 256

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void deep_buffer(global const uint *in, global uint *out, uint tiles) {
  local uint ring[DEPTH][TILE];
  event_t event[DEPTH];
  uint i = get_local_id(0), hash = 0, slot = 0;
  in += get_group_id(0) * tiles * TILE;
  for (uint tile = 0; tile < DEPTH && tile < tiles; tile++)
    event[tile] = async_work_group_copy(ring[tile], in + tile * TILE, TILE, 0);
  for (uint tile = 0; tile < tiles; tile++) {
    wait_group_events(1, &event[slot]);        /* the oldest copy */
#pragma unroll
    for (uint word = 0; word < 4; word++)
      hash = (rotate(hash, 5u) ^ ring[slot][word * 64 + i]) * 16777619u;
    barrier(CLK_LOCAL_MEM_FENCE);              /* all warps have read this buffer: it may be refilled */
    if (tile + DEPTH < tiles)
      event[slot] = async_work_group_copy(ring[slot], in + (tile + DEPTH) * TILE, TILE, 0);
    slot = slot + 1 == DEPTH ? 0 : slot + 1;
  }
  out[get_global_id(0)] = hash;
}
