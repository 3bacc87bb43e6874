// Each work-item takes a ticket with an atomic addition, and reads the count with another one; with -D WRONG with a
// plain read.
kernel void tickets(global int *out, global int *count) {
  int mine = atomic_inc(&count[0]); /* OTHER */
#ifdef WRONG
  int all = count[0]; /* HERE */
#else
  int all = atomic_add(&count[0], 0);
#endif
  out[get_global_id(0)] = mine < all;
}
