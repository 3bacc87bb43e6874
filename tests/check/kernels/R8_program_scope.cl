/* The bits of a work-group's id are in a program-scope variable, which persists. With -D WRONG the next launch reads
 * with it; otherwise that one makes a new reservation. */
global ulong kept;

typedef union { reserve_id_t id; ulong bits; } bits_of_id;

kernel void fill(write_only pipe float p) {
  float x = get_global_id(0);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void begin(read_only pipe float p, global float *out) {
  bits_of_id own;
  own.id = work_group_reserve_read_pipe(p, 32);
  if (!is_valid_reserve_id(own.id))
    return;
  float x = 0;
  read_pipe(p, own.id, get_local_id(0), &x);
  out[get_local_id(0)] = x;
  if (get_local_id(0) == 0)
    kept = own.bits;
  work_group_commit_read_pipe(p, own.id);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void proceed(read_only pipe float p, global float *out) {
  bits_of_id own;
#ifdef WRONG
  own.bits = kept;
#else
  own.id = work_group_reserve_read_pipe(p, 32);
#endif
  if (!is_valid_reserve_id(own.id))
    return;
  float x = 0;
  read_pipe(p, own.id, get_local_id(0), &x); /* HERE */
  out[32 + get_local_id(0)] = x;
#ifndef WRONG
  work_group_commit_read_pipe(p, own.id);
#endif
}
