// Packets are also written to a log, whose neighboring entries are compared after the commit; with -D WRONG only the
// commit is between, which makes only packets visible.
kernel void send(global const uint *in, write_only pipe uint2 p, global uint *log, global uint *steps) {
  uint l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
  reserve_id_t id = work_group_reserve_write_pipe(p, n);
  if (!is_valid_reserve_id(id))
    return;
  uint2 packet = (uint2)(in[first + l], l);
  write_pipe(p, id, l, &packet);
  log[first + l] = packet.x; /* OTHER */
  work_group_commit_write_pipe(p, id);
#ifndef WRONG
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  steps[first + l] = log[first + (l + 1) % n] - packet.x; /* HERE */
}
