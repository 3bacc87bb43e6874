// A function reads vectors through a pointer to a tile that a copy refills. The barrier between has a local fence, with
// -D WRONG a global one.
#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

float sum(local const float *from, uint i) {
  float4 v = vload4(i, from); /* OTHER */
  return v.x + v.y + v.z + v.w;
}

kernel void sums(global const float *in, global float *out) {
  local float tile[256];
  uint l = get_local_id(0);
  event_t e = async_work_group_copy(tile, in, 256, 0);
  wait_group_events(1, &e);
  float first = sum(tile, 63 - l);
  barrier(FENCE);
  e = async_work_group_copy(tile, in + 256, 256, 0); /* HERE */
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = first + tile[l];
}
