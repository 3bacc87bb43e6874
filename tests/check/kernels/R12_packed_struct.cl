/* The pipe has packets of 8 bytes. With -D WRONG the reader's struct is packed and has 5; otherwise it is the writer's,
 * with its padding. */
typedef struct { char key; int value; } entry;
#ifdef WRONG
typedef struct __attribute__((packed)) { char key; int value; } taken;
#else
typedef entry taken;
#endif

kernel void fill(write_only pipe entry p) {
  int i = get_global_id(0);
  entry x = {i, -i};
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void take(read_only pipe taken p, global int *out) {
  reserve_id_t id = work_group_reserve_read_pipe(p, 32);
  if (!is_valid_reserve_id(id))
    return;
  taken x = {0, 0};
  read_pipe(p, id, get_local_id(0), &x); /* HERE */
  out[get_global_id(0)] = x.value;
  work_group_commit_read_pipe(p, id);
}
