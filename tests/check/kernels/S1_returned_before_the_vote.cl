/* Each work-item stores whether any of its sub-group has a value above 40. With -D WRONG those beyond n return first;
 * otherwise they vote, too. */
kernel void votes(global const int *in, global int *out) {
  uint i = get_global_id(0), n = 50;
#ifdef WRONG
  if (i >= n) /* OTHER */
    return;
#endif
  int any = sub_group_any(i < n && in[i] > 40); /* HERE */
  if (i < n)
    out[i] = any;
}
