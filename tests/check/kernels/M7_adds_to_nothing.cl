// Every work-item adds 0 to its sums in the LDS, of several types; with -D WRONG without a first value. Whether a word
// is written does not depend on what is added.
kernel void sums(global const int *in, global int *out) {
  local int whole[64];
  local short4 part[64];
  local float real[64];
  uint i = get_local_id(0);
#ifndef WRONG
  whole[i] = 0;
  part[i] = 0;
  real[i] = 0;
#endif
  whole[i] += in[i];           /* HERE */
  part[i].y += (short)in[i];   /* HERE */
  real[i] += in[i];            /* HERE */
  out[i] = whole[i] + part[i].y + (int)real[i];
}
