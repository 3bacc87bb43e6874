/* Private aggregates that are partly constant: clang copies such parts from a constant of its own. */
struct inner { int a[6]; char c; };
struct outer { uint first; struct inner in[3]; float4 v; double d[3]; };
union both { int n[8]; uchar c[32]; };

static int sum(const int *p, int n) {
  uint s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 + (uint)p[i];
  return (int)(s & 0xffff);
}

kernel void arrays(global const int *in, global int *out) {
  int g = get_global_id(0), x = in[g];
  int two[2][9] = {{x, 0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 1, 2, 3, 4, 5, 6, 7}};
  short three[2][3][5] = {{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {(short)x}}, {{11, 12}, {13, 14, 15, 16, 17}}};
  int partial[3][20] = {{1, 2, 3}, {[4] = x, [19] = 9}, {[7] = 5, 6, 7}};
  char text[3][24] = {"the first of the rows", {(char)x}, "another"};
  float4 vectors[2][2] = {{(float4)(1, 2, 3, 4), (float4)(5)}, {(float4)(x), (float4)(0.5f)}};
  long zeros[2][8] = {{x}, {0}};
  two[g & 1][x & 7] += 5;
  out[g * 8 + 0] = two[(x >> 3) & 1][(x >> 4) & 7] + sum(two[1], 9);
  out[g * 8 + 1] = three[x & 1][(x >> 1 & 3) % 3][(x >> 3 & 7) % 5];
  out[g * 8 + 2] = partial[(x & 3) % 3][(x >> 2 & 31) % 20] + sum(partial[2], 20);
  out[g * 8 + 3] = text[(x & 3) % 3][(x >> 2 & 31) % 24];
  out[g * 8 + 4] = (int)(vectors[x & 1][x >> 1 & 1].y * 4);
  out[g * 8 + 5] = (int)zeros[x & 1][x >> 1 & 7];
  out[g * 8 + 6] = two[1][x & 7] ^ three[1][1][g % 5];
  out[g * 8 + 7] = text[0][g % 21] + text[2][g & 7];
}

kernel void structs(global const int *in, global int *out) {
  int g = get_global_id(0), x = in[g];
  struct outer s = {(uint)x, {{{1, 2, 3, 4, 5, 6}, 7}, {{x}, 8}, {{9, 10}, 11}}, (float4)(x & 255, 1, 2, 3), {0.5, 1.5}};
  struct inner many[3] = {{{x, 1}, 'x'}, {{2, 3, 4, 5, 6, 7}, 'y'}, {.c = 'z', .a = {[5] = 1}}};
  union both u[2] = {{{x, 1, 2, 3, 4, 5, 6, 7}}, {{10, 11, 12, 13, 14, 15, 16, 17}}};
  const struct inner t = s.in[(x & 3) % 3];
  many[g % 3] = t;
  out[g * 6 + 0] = s.in[(x >> 2 & 3) % 3].a[(x >> 4 & 7) % 6] + t.c;
  out[g * 6 + 1] = (int)(s.d[(x & 3) % 3] * 8) + (int)s.v.x;
  out[g * 6 + 2] = many[(x >> 6 & 3) % 3].a[(x >> 8 & 7) % 6] + many[2].c;
  out[g * 6 + 3] = u[x & 1].c[4 + (x >> 1) % 24 & 31];
  out[g * 6 + 4] = sum(u[1].n, 8);
  out[g * 6 + 5] = s.first == (uint)x;
}

/* Zeros after a constant with an odd number of bytes; a packed struct, whose alignment its members hide, at an odd offset. */
constant uchar odd[3] = {1, 2, 3};
struct packed { uint a[1]; } __attribute__((packed));
struct around { ushort before; struct packed in; uchar after[30]; } __attribute__((packed));

int first(struct packed p) { return (int)p.a[0]; }

kernel void packed(global const int *in, global int *out) {
  int g = get_global_id(0), x = in[g];
  int rows[4][3][5] = {{{x}, {x + 1, 2}}, {{3}, {4, x}}};
  struct around s = {(ushort)x, {{(uint)x * 5}}, {1, 2, (uchar)x}};
  struct around copy[2] = {s, s};
  copy[x & 1].in.a[0] ^= 77;
  out[g * 4 + 0] = rows[x & 3][(x >> 2 & 3) % 3][(x >> 4 & 7) % 5];
  out[g * 4 + 1] = first(copy[g & 1].in) + odd[(x & 7) % 3];
  out[g * 4 + 2] = copy[0].before + copy[1].after[(x >> 3 & 31) % 30];
  out[g * 4 + 3] = sum(rows[1][1], 5);
}
