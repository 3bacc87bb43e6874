/* Distances of points on a sphere from one place. */
kernel void knn(global const float2 *places, global float *out, float lat, float lon) {
  uint i = get_global_id(0);
  float2 p = places[i];
  float a = sin((p.x - lat) * 0.5f), b = sin((p.y - lon) * 0.5f);
  float h = a * a + cos(lat) * cos(p.x) * b * b;
  out[i] = 2 * asin(sqrt(h));
}
