// Kernels with one bottleneck each, planted by their code or by the machine of their launch file.

// A chain of loads: each address is the previous value.
kernel void chase(global const uint *next, global uint *out, uint steps) {
  uint at = get_global_id(0);
  for (uint i = 0; i < steps; i++)
    at = next[at];
  out[get_global_id(0)] = at;
}

// The same in global memory, word by word: one load per step, `stride` words after the last.
kernel void stream(global const uint *in, global uint *out, uint steps, uint stride) {
  uint sum = 0;
  for (uint i = 0; i < steps; i++)
    sum += in[i * stride + get_global_id(0)];
  out[get_global_id(0)] = sum;
}

// A chain of loads in the LDS.
kernel void local_chase(global uint *out, uint steps) {
  local uint tile[64];
  tile[get_local_id(0)] = (get_local_id(0) + 1) % 64;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint at = get_local_id(0);
  for (uint i = 0; i < steps; i++)
    at = tile[at];
  out[get_global_id(0)] = at;
}

// Columns of a matrix in the LDS.
kernel void columns(global uint *out, uint steps) {
  local uint tile[64 * 32];
  uint sum = 0;
  for (uint i = 0; i < 32; i++)
    tile[i * 64 + get_local_id(0)] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < steps; i++)
    for (uint j = 0; j < 8; j++)
      sum += tile[get_local_id(0) * 32 + j];
  out[get_global_id(0)] = sum;
}

// Rows of a tile, four words a work-item, while copies land.
kernel void rows(global const uint4 *in, global uint *out, uint steps) {
  local uint4 tile[256], other[2048];
  tile[get_local_id(0)] = (uint4)(get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  uint4 sum = 0;
  for (uint i = 0; i < steps; i++) {
    event_t event = async_work_group_copy(other, in, 2048, 0);
    for (uint j = 0; j < 8; j++)
      sum += tile[(get_local_id(0) + j * 32) % 256];
    wait_group_events(1, &event);
    sum += other[get_local_id(0)];
  }
  out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}

// Words of a tile, one pass each.
kernel void words(global uint *out, uint steps) {
  local uint tile[1024];
  for (uint i = 0; i < 4; i++)
    tile[i * 256 + get_local_id(0)] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  local uint *at = tile + get_local_id(0);
  uint sum = 0;
  for (uint i = 0; i < steps; i++)
    sum += at[0] + at[32] + at[64] + at[96] + at[128] + at[160] + at[192] + at[224] + at[256] + at[288] + at[320] + at[352];
  out[get_global_id(0)] = sum;
}

// One copy of `size` words at a time, and a wait for it.
kernel void copies(global const uint *in, global uint *out, uint steps, uint size, uint stride) {
  local uint tile[4096];
  uint sum = 0;
  for (uint i = 0; i < steps; i++) {
    event_t event = 0;
    if (stride == 1)
      event = async_work_group_copy(tile, in, size, 0);
    else
      event = async_work_group_strided_copy(tile, in, size, stride, 0);
    wait_group_events(1, &event);
    sum += tile[get_local_id(0)];
  }
  out[get_global_id(0)] = sum;
}

// Many copies of `size` words at once, and one wait for all.
kernel void bundles(global const uint *in, global uint *out, uint steps, uint size) {
  local uint tile[4096];
  uint sum = 0;
  for (uint i = 0; i < steps; i++) {
    event_t event = 0;
    for (uint j = 0; j < 16; j++)
      event = async_work_group_copy(tile + j * size, in + j * size, size, event);
    wait_group_events(1, &event);
    sum += tile[get_local_id(0)];
  }
  out[get_global_id(0)] = sum;
}

// Copies are started, then some work, then a wait.
kernel void queued(global const uint *in, global uint *out, uint steps) {
  local uint tile[8192];
  uint sum = get_local_id(0);
  event_t event = 0;
  for (uint j = 0; j < 128; j++)
    event = async_work_group_copy(tile + j * 64, in + j * 64, 64, event);
  for (uint i = 0; i < steps; i++)
    sum = sum * 3 + i;
  wait_group_events(1, &event);
  out[get_global_id(0)] = sum + tile[get_local_id(0)];
}

// Barriers with little between them.
kernel void barriers(global uint *out, uint steps) {
  local uint tile[64];
  tile[get_local_id(0)] = 1;
  uint sum = 0;
  for (uint i = 0; i < steps; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += i;
  }
  out[get_global_id(0)] = sum + tile[get_local_id(0)];
}

// Fences of global memory.
kernel void fences(global uint *out, uint steps) {
  for (uint i = 0; i < steps; i++)
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  out[get_global_id(0)] = steps;
}

// A sum to which all work-items add.
kernel void atomics(global uint *out, uint steps) {
  for (uint i = 0; i < steps; i++)
    atomic_add(&out[0], get_global_id(0));
}

// Work-groups that end as soon as they start.
kernel void nothing(global uint *out) {
  if (get_local_id(0) == 0 && get_group_id(0) == 0)
    out[0] = 1;
}

// A chain of additions; many work-items hide it, one warp does not.
kernel void chain(global uint *out, uint steps) {
  uint sum = get_global_id(0);
  for (uint i = 0; i < steps; i++)
    sum = ((sum ^ i) + 3 ^ sum) + 5;
  out[get_global_id(0)] = sum;
}

// Divisions that wait only for the divider.
kernel void divisions(global uint *out, uint steps) {
  uint a = get_global_id(0) + 1000000, sum = 0;
  for (uint i = 1; i <= steps; i++)
    sum += a / (i + 1) + (a + 7) / (i + 2) + (a + 11) / (i + 3);
  out[get_global_id(0)] = sum;
}

// A little LDS and slow loads: few groups are resident.
kernel void roomy(global const uint *in, global uint *out, uint steps, local uint *room) {
  uint sum = 0;
  for (uint i = 0; i < steps; i++)
    sum += in[(i * get_global_size(0) + get_global_id(0)) % 16384];
  room[get_local_id(0)] = sum;
  out[get_global_id(0)] = room[get_local_id(0)];
}

// The same words, read repeatedly.
kernel void again(global const uint *in, global uint *out, uint steps, uint words) {
  uint sum = 0;
  for (uint i = 0; i < steps; i++)
    sum += in[(i * get_global_size(0) + get_global_id(0)) % words];
  out[get_global_id(0)] = sum;
}

constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// A chain of reads of an image of zeros: each read's place comes from the previous one.
kernel void image_chase(read_only image2d_t image, global uint *out, uint steps) {
  uint at = 0;
  for (uint i = 0; i < steps; i++)
    at = read_imageui(image, NEAREST, (int2)(at, at)).x;
  out[get_global_id(0)] = at;
}

// Repeated reads of an image, each one row below the last of `rows` rows, a power of two.
kernel void image_again(read_only image2d_t image, global uint *out, uint steps, uint rows) {
  uint sum = 0;
  for (uint i = 0; i < steps; i++)
    sum += read_imageui(image, NEAREST, (int2)(get_local_id(0), i & (rows - 1))).x;
  out[get_global_id(0)] = sum;
}
