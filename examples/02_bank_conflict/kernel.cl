/* Every work-item has its own word in the LDS, `stride` words from its neighbor's, and reads it again and
 * again. Without `volatile`, the compiler would read it once. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void bank_conflict(global uint *out, uint stride) {
  local volatile uint tile[64 * 32];
  uint i = get_local_id(0), sum = 0;
  tile[i * stride] = i + 1;
  for (uint left = 16; left > 0; left--)
    sum += tile[i * stride];                   /* the access to look at */
  out[get_global_id(0)] = sum;
}
