/* Each work-item reads its own word of the LDS again and again. Neighbors' words are `stride` words apart.
 * Without `volatile`, the compiler would read the word only once. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void bank_conflict(global uint *out, uint stride) {
  local volatile uint tile[64 * 32];
  uint i = get_local_id(0), sum = 0;
  tile[i * stride] = i + 1;
  for (uint left = 16; left > 0; left--)
    sum += tile[i * stride];                   /* the access to watch */
  out[get_global_id(0)] = sum;
}
