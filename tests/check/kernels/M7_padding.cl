// Structures whose padding is never written are loaded whole, by words; with -D WRONG the last is never written.
struct small {
  char a;
  short b;
};
struct tagged {
  int value;
  char tag;
};

#ifdef WRONG
#define COUNT 31
#else
#define COUNT 32
#endif

kernel void swap(global struct small *small, global struct tagged *tagged) {
  local struct small a[32];
  local struct tagged b[32];
  uint l = get_local_id(0);
  if (l < COUNT) {
    a[l].a = 1, a[l].b = 2;
    b[l].value = 3, b[l].tag = 4;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  small[l] = a[l ^ 1];  /* HERE */
  tagged[l] = b[l ^ 1]; /* HERE */
}
