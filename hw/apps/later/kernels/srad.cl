/* Speckle reducing diffusion: coefficient of each pixel from its gradients. */
kernel void srad(global const float *img, global float *c, global float *dn, global float *ds, int width, int height, float q0) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  int at = y * width + x;
  float j = img[at];
  float n = img[max(y - 1, 0) * width + x] - j, s = img[min(y + 1, height - 1) * width + x] - j;
  float w = img[y * width + max(x - 1, 0)] - j, e = img[y * width + min(x + 1, width - 1)] - j;
  float g = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
  float num = 0.5f * g - 0.0625f * l * l, den = 1 + 0.25f * l, q = num / (den * den);
  den = (q - q0) / (q0 * (1 + q0));
  c[at] = clamp(1 / (1 + den), 0.0f, 1.0f);
  dn[at] = n;
  ds[at] = s;
}
