// Kernels that copy tiles: each work-group processes `tiles` tiles of `words` words in sequence.

// Computes a work-item's result from its share of a tile.
static uint use(local const uint *tile, uint words, uint rounds) {
  uint sum = 0;
  for (uint i = get_local_id(0); i < words; i += get_local_size(0)) {
    uint x = tile[i];
    for (uint j = 0; j < rounds; j++)
      x = x * 1664525u + 1013904223u;
    sum += x;
  }
  return sum;
}

// Two buffers: the next tile is copied while this one is used.
kernel void two_buffers(global const uint *in, global uint *out, uint tiles, uint words, uint rounds,
                        local uint *buffer) {
  global const uint *from = in + get_group_id(0) * tiles * words;
  event_t event = async_work_group_copy(buffer, from, words, 0);
  uint sum = 0;
  for (uint i = 0; i < tiles; i++) {
    wait_group_events(1, &event);
    if (i + 1 < tiles)
      event = async_work_group_copy(buffer + (i + 1) % 2 * words, from + (i + 1) * words, words, 0);
    sum += use(buffer + i % 2 * words, words, rounds);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// One buffer, in and out: a tile is copied in, changed, and copied out.
kernel void there_and_back(global const uint *in, global uint *out, uint tiles, uint words, uint rounds,
                           local uint *buffer) {
  const uint first = get_group_id(0) * tiles * words;
  for (uint i = 0; i < tiles; i++) {
    event_t event = async_work_group_copy(buffer, in + first + i * words, words, 0);
    wait_group_events(1, &event);
    const uint sum = use(buffer, words, rounds);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = get_local_id(0); j < words; j += get_local_size(0))
      buffer[j] += sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(out + first + i * words, buffer, words, 0);
    wait_group_events(1, &event);
  }
}

// Rows of a matrix: a tile is 16 lines, one copy each, and one wait for all.
kernel void rows(global const uint *in, global uint *out, uint tiles, uint words, uint rounds, local uint *buffer) {
  const uint line = words / 16, pitch = get_num_groups(0) * tiles * line;
  uint sum = 0;
  for (uint i = 0; i < tiles; i++) {
    global const uint *from = in + (get_group_id(0) * tiles + i) * line;
    event_t event = 0;
    for (uint j = 0; j < 16; j++)
      event = async_work_group_copy(buffer + j * line, from + j * pitch, line, event);
    wait_group_events(1, &event);
    sum += use(buffer, words, rounds);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
