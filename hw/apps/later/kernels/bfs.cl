/* A level of a breadth-first search by whole rows; costs fall by atomics. */
kernel void bfs(global const uint *rows, global const uint *edges, global const uint *front, global uint *cost, uint n) {
  uint v = get_global_id(0);
  if (v >= n || front[v] % 4)
    return;
  uint end = rows[v + 1];
  for (uint i = rows[v]; i < end; i++)
    atomic_min(&cost[edges[i]], v & 7);
}
