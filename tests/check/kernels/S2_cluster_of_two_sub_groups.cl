/* Sums of clusters. With -D WRONG a cluster has 64 work-items, which is more than a sub-group has; otherwise 16. */
#ifdef WRONG
#define SIZE 64
#else
#define SIZE 16
#endif
kernel void clusters(global const int *in, global int *out) {
  uint i = get_global_id(0);
  out[i] = sub_group_clustered_reduce_add(in[i], SIZE); /* HERE */
}
