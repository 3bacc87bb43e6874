/* One step of Floyd and Warshall's shortest paths. */
kernel void floyd(global uint *distance, global uint *via, uint n, uint k) {
  uint x = get_global_id(0), y = get_global_id(1);
  uint here = distance[y * n + x], other = distance[y * n + k] + distance[k * n + x];
  if (other < here) {
    distance[y * n + x] = other;
    via[y * n + x] = k;
  }
}
