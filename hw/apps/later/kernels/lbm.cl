/* A step of lattice Boltzmann, nine velocities, pull, in planes. */
kernel void lbm(global const float *f, global float *g, int w, int h, float omega) {
  int x = get_global_id(0), y = get_global_id(1), n = w * h;
  int xm = x ? x - 1 : w - 1, xp = x + 1 < w ? x + 1 : 0, ym = y ? y - 1 : h - 1, yp = y + 1 < h ? y + 1 : 0;
  float f0 = f[y * w + x], f1 = f[n + y * w + xm], f2 = f[2 * n + ym * w + x], f3 = f[3 * n + y * w + xp], f4 = f[4 * n + yp * w + x];
  float f5 = f[5 * n + ym * w + xm], f6 = f[6 * n + ym * w + xp], f7 = f[7 * n + yp * w + xp], f8 = f[8 * n + yp * w + xm];
  float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  float ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho, uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
  float u2 = 1 - 1.5f * (ux * ux + uy * uy);
  int at = y * w + x;
#define RELAX(I, F, W, E)                                                                                                                  \
  {                                                                                                                                        \
    float e = E;                                                                                                                           \
    g[I * n + at] = F + omega * (W * rho * (u2 + 3 * e + 4.5f * e * e) - F);                                                               \
  }
  RELAX(0, f0, 0.444444f, 0)
  RELAX(1, f1, 0.111111f, ux)
  RELAX(2, f2, 0.111111f, uy)
  RELAX(3, f3, 0.111111f, -ux)
  RELAX(4, f4, 0.111111f, -uy)
  RELAX(5, f5, 0.027778f, ux + uy)
  RELAX(6, f6, 0.027778f, -ux + uy)
  RELAX(7, f7, 0.027778f, -ux - uy)
  RELAX(8, f8, 0.027778f, ux - uy)
}
