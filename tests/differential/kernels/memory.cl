/* Packed structs, unions, program-scope tables. */
struct __attribute__((packed)) packed { char a; int b; short c; };
union both { float f; uint u; uchar b[4]; };
constant int powers[3][4] = {{1, 2, 4, 8}, {1, 3, 9, 27}, {1, 5, 25, 125}};
constant char text[] = "where warps wait";

kernel void layouts(global struct packed *in, global uint *out) {
  size_t i = get_global_id(0);
  union both u;
  u.f = (float)in[i].b;
  u.b[1] ^= (uchar)in[i].a;
  out[i] = u.u + in[i].c + powers[i % 3][i & 3] + text[i % sizeof text];
  in[i].b = -in[i].b;
  in[i].c++;
}

kernel void shuffles(global const int4 *in, global int8 *out, global const uint8 *mask) {
  size_t i = get_global_id(0);
  int4 a = in[2 * i], b = in[2 * i + 1];
  out[i] = shuffle2(a, b, mask[i]) + shuffle(a, mask[i]) * 3;
  out[i].s3 = any(a > b) + 2 * all(a != b);
}
