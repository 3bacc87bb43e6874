/* Lennard-Jones forces of listed neighbours. */
kernel void md(global const float4 *place, global const int *list, global float4 *force, int neighbours, int n) {
  int i = get_global_id(0);
  float4 p = place[i], f = 0;
  for (int k = 0; k < neighbours; k++) {
    int j = list[k * n + i];
    float4 q = place[j];
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, r2 = x * x + y * y + z * z;
    if (r2 < 16.0f) {
      float r = 1 / (r2 + 0.01f), r6 = r * r * r, s = r * r6 * (1.5f * r6 - 2.0f);
      f.x += x * s;
      f.y += y * s;
      f.z += z * s;
    }
  }
  force[i] = f;
}
