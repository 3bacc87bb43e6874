/* Wrong: the log is stored although the host passed no buffer. Right: only if there is one. */
kernel void count(global const uchar4 *in, global uchar4 *out, global uchar4 *log) {
  local uchar4 notes[32];
  const size_t i = get_local_id(0), at = get_global_id(0);
  notes[i] = in[at] + (uchar4)(i);
  barrier(CLK_LOCAL_MEM_FENCE);
#ifndef WRONG
  if (log)
#endif
  {
    event_t stored = async_work_group_strided_copy(log, notes, 32, 2, 0); /* HERE */
    wait_group_events(1, &stored);
  }
  out[at] = notes[31 - i];
}
