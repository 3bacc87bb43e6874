kernel void nbody(global const float4 *bodies, global float4 *out, uint n, float step, local float4 *tile) {
  uint i = get_global_id(0);
  float4 me = bodies[i];
  float3 pull = 0;
  for (uint first = 0; first < n; first += get_local_size(0)) {
    tile[get_local_id(0)] = bodies[first + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < get_local_size(0); k++) {
      float3 way = tile[k].xyz - me.xyz;
      float square = dot(way, way) + 0.01f;
      pull += way * (tile[k].w / (square * sqrt(square)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  me.xyz += pull * step;
  out[i] = me;
}
