// Kernels, each with a version that a programmer would prefer: NAME and NAME_better.

// Loads that wait for each other only because of the loop.
kernel void sum(global const uint *in, global uint *out, uint n) {
  uint sum = 0;
  for (uint i = 0; i < n; i++)
    sum = sum * 31u + in[i * get_global_size(0) + get_global_id(0)];
  out[get_global_id(0)] = sum;
}

kernel void sum_better(global const uint *in, global uint *out, uint n) {
  uint sum = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    uint x[8];
#pragma unroll
    for (uint j = 0; j < 8; j++)
      x[j] = in[(i + j) * get_global_size(0) + get_global_id(0)];
#pragma unroll
    for (uint j = 0; j < 8; j++)
      sum = sum * 31u + x[j];
  }
  for (; i < n; i++)
    sum = sum * 31u + in[i * get_global_size(0) + get_global_id(0)];
  out[get_global_id(0)] = sum;
}

// The same in the LDS: a table that all work-items read.
kernel void table(global const uint *in, global uint *out, uint n) {
  local uint t[256];
  t[get_local_id(0)] = in[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (uint i = 0; i < n; i++)
    sum += t[(get_local_id(0) + i) % 256u] ^ i;
  out[get_global_id(0)] = sum;
}

kernel void table_better(global const uint *in, global uint *out, uint n) {
  local uint t[256];
  t[get_local_id(0)] = in[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (uint i = 0; i < n; i += 8) {
    uint x[8];
#pragma unroll
    for (uint j = 0; j < 8; j++)
      x[j] = t[(get_local_id(0) + i + j) % 256u];
#pragma unroll
    for (uint j = 0; j < 8; j++)
      sum += x[j] ^ (i + j);
  }
  out[get_global_id(0)] = sum;
}

// Columns of a tile: all lanes access one bank.
kernel void transpose(global const uint *in, global uint *out) {
  local uint tile[32][32];
  const uint x = get_local_id(0), y = get_local_id(1), at = get_group_id(0) * 1024;
  for (uint j = y; j < 32; j += 4)
    tile[j][x] = in[at + j * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = y; j < 32; j += 4)
    out[at + j * 32 + x] = tile[x][j];
}

kernel void transpose_better(global const uint *in, global uint *out) {
  local uint tile[32][32 + 1];
  const uint x = get_local_id(0), y = get_local_id(1), at = get_group_id(0) * 1024;
  for (uint j = y; j < 32; j += 4)
    tile[j][x] = in[at + j * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = y; j < 32; j += 4)
    out[at + j * 32 + x] = tile[x][j];
}

// The same, with the pitch as a named constant.
#ifndef PAD
#define PAD 0
#endif
#define ROWS(name, pad)                                                                                                \
  kernel void name(global uint *out, uint n) {                                                                         \
    local uint tile[64 * (64 + 1)];                                                                                    \
    const uint l = get_local_id(0);                                                                                    \
    for (uint j = 0; j < 64; j++)                                                                                      \
      tile[l * (64 + pad) + j] = l + j;                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    uint sum = 0;                                                                                                      \
    for (uint i = 0; i < n; i++)                                                                                       \
      for (uint j = 0; j < 64; j++)                                                                                    \
        sum += tile[l * (64 + pad) + j];                                                                               \
    out[get_global_id(0)] = sum;                                                                                       \
  }
ROWS(rows, PAD)
ROWS(rows_better, 1)

// A ring of tiles.
#ifndef DEPTH
#define DEPTH 1
#endif
#define RING(name, depth)                                                                                              \
  kernel void name(global const uint *in, global uint *out, uint tiles) {                                              \
    local uint ring[depth][256];                                                                                       \
    event_t event[depth];                                                                                              \
    global const uint *from = in + get_group_id(0) * tiles * 256;                                                      \
    for (uint i = 0; i < depth && i < tiles; i++)                                                                      \
      event[i] = async_work_group_copy(ring[i], from + i * 256, 256, 0);                                               \
    uint sum = 0;                                                                                                      \
    for (uint i = 0; i < tiles; i++) {                                                                                 \
      wait_group_events(1, &event[i % depth]);                                                                         \
      for (uint j = get_local_id(0); j < 256; j += get_local_size(0))                                                  \
        sum = sum * 31u + ring[i % depth][j];                                                                          \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      if (i + depth < tiles)                                                                                           \
        event[i % depth] = async_work_group_copy(ring[i % depth], from + (i + depth) * 256, 256, 0);                   \
    }                                                                                                                  \
    out[get_global_id(0)] = sum;                                                                                       \
  }
RING(ring, DEPTH)
RING(ring_better, 3)

// The same, with the number of tiles as an argument, in local memory from the host.
kernel void slots(global const uint *in, global uint *out, local uint *ring, uint depth, uint tiles) {
  event_t event[8];
  global const uint *from = in + get_group_id(0) * tiles * 256;
  for (uint i = 0; i < depth && i < tiles; i++)
    event[i] = async_work_group_copy(ring + i * 256, from + i * 256, 256, 0);
  uint sum = 0;
  for (uint i = 0; i < tiles; i++) {
    wait_group_events(1, &event[i % depth]);
    for (uint j = get_local_id(0); j < 256; j += get_local_size(0))
      sum = sum * 31u + ring[i % depth * 256 + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + depth < tiles)
      event[i % depth] = async_work_group_copy(ring + i % depth * 256, from + (i + depth) * 256, 256, 0);
  }
  out[get_global_id(0)] = sum;
}

// A chain of arithmetic: a CU needs more warps than its work-groups have.
#define STEP x = x * 1664525u + (x >> 16);
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
kernel void chain(global uint *out) {
  uint x = get_global_id(0);
  STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS
  out[get_global_id(0)] = x;
}

// Work-items that read rows: with tall, narrow work-groups, neighbors touch distant lines.
kernel void narrow(global const uint *in, global uint *out) {
  const uint at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[at] = in[at] * 3u + 1u;
}

// A tile line by line, one copy each.
kernel void lines(global const uint *in, global uint *out, uint tiles) {
  local uint tile[16 * 16];
  uint sum = 0;
  for (uint i = 0; i < tiles; i++) {
    event_t event = 0;
    for (uint j = 0; j < 16; j++)
      event = async_work_group_copy(tile + j * 16, in + i * 16 + j * 1024, 16, event);
    wait_group_events(1, &event);
    sum = sum * 31u + tile[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

kernel void lines_better(global const uint *in, global uint *out, uint tiles) {
  local uint tile[16 * 16];
  uint sum = 0;
  for (uint i = 0; i < tiles; i++) {
    event_t event = async_work_group_copy_2D2D(tile, 0, in + i * 16, 0, sizeof(uint), 16, 16, 1024, 16, 0);
    wait_group_events(1, &event);
    sum = sum * 31u + tile[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// One word per work-item: four would fill a line with fewer accesses.
kernel void scale(global const float *in, global float *out) {
  out[get_global_id(0)] = in[get_global_id(0)] * 3.0f + 1.0f;
}

kernel void scale_better(global const float4 *in, global float4 *out) {
  out[get_global_id(0)] = in[get_global_id(0)] * 3.0f + 1.0f;
}

// A load's address waits for the previous load, but its line could already be in flight.
kernel void walk(global const uint *in, global uint *out, uint n) {
  uint sum = get_global_id(0);
  for (uint i = 0; i < n; i++)
    sum = sum * 31u + in[i * 1024 + get_local_id(0) + (sum & 7u)];
  out[get_global_id(0)] = sum;
}

kernel void walk_better(global const uint *in, global uint *out, uint n) {
  uint sum = get_global_id(0);
  for (uint i = 0; i < n; i++) {
    prefetch(&in[(i + 1) * 1024 + get_local_id(0) + (sum & 7u)], 1);
    sum = sum * 31u + in[i * 1024 + get_local_id(0) + (sum & 7u)];
  }
  out[get_global_id(0)] = sum;
}

// Thousands of work-groups for a loop that one could do.
kernel void stride(global const uint *in, global uint *out, uint n) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    out[i] = in[i] + 1u;
}
