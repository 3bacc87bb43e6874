/* Wrong: the count of stores is one too many after the loop. Right: it is the length of the list. */
kernel void store_columns(global const uchar *in, global uchar *out, int columns) {
  local uchar column[4 * 16];
  const size_t i = get_local_id(0), at = get_group_id(0) * 64;
  event_t stored[4];
  column[i] = in[at + i] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  int k = 0;
  for (; k < columns; k++)
    stored[k] = async_work_group_strided_copy(out + at + k, column + k * 16, 16, 4, 0);
#ifdef WRONG
  k++;
#endif
  wait_group_events(k, stored); /* HERE */
}
