kernel void kmeans(global const float2 *points, global const float2 *centres, uint count, global uchar *nearest, global uint *members) {
  size_t i = get_global_id(0);
  float best = INFINITY;
  uint mine = 0;
  for (uint c = 0; c < count; c++) {
    float2 way = points[i] - centres[c];
    float square = way.x * way.x + way.y * way.y;
    if (square < best) {
      best = square;
      mine = c;
    }
  }
  nearest[i] = mine;
  atomic_inc(&members[mine]);
}
