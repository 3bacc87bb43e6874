/* Sub-groups scan until their values are used up. With -D WRONG each work-item leaves the loop by itself; otherwise a vote
 * decides for the sub-group. */
kernel void scans(global const int *in, global int *out) {
  uint i = get_global_id(0);
  int left = in[i] % 5, sum = 0;
#ifdef WRONG
  while (left > 0) /* OTHER */
#else
  while (sub_group_any(left > 0))
#endif
    sum += sub_group_scan_inclusive_add(max(left--, 0)); /* HERE */
  out[i] = sum;
}
