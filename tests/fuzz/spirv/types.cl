/* Structs, vectors, pointers to pointers, tables that point to each other. */
typedef struct __attribute__((packed)) {
  char a;
  int b;
} packed;
struct node {
  int v;
  float3 w[2];
  __global struct node *next;
};
__constant int table[4] = {1, 2, 3, 4};
__constant int *__constant third = &table[2];
__global int counter = 3;
__kernel void types(__global struct node *n, packed p, __local short4 *l, __constant uchar *c) {
  l[0].xz = n->next->v > p.b ? (short2)(p.a, *third) : convert_short2_sat(n->w[1].xy);
  counter += c[get_local_id(0)] + l[0].w;
}
