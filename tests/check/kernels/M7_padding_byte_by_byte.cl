// A structure with padding is copied byte by byte in the LDS; with -D WRONG one of its members is not written.
struct item {
  char kind;
  int value;
};

kernel void take(global int *out) {
  local struct item a[32], b[32];
  const uint l = get_local_id(0), size = sizeof(struct item);
  a[l].kind = l;
#ifndef WRONG
  a[l].value = l * 3;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  local const char *from = (local const char *)&a[l];
  local char *to = (local char *)&b[l];
  for (uint k = 0; k < size; k++)
    to[k] = from[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = b[l ^ 1].kind + b[l ^ 1].value; /* HERE */
}
