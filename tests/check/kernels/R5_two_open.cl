/* Sub-groups open two reservations and commit the younger one first. With -D WRONG the older one stays open; otherwise
 * it is committed next. */
typedef struct { double value; int row, column; } cell;

kernel void fill(write_only pipe cell p) {
  int i = get_global_id(0);
  cell x = {0.5 * i, i / 8, i % 8};
  write_pipe(p, &x);
}

kernel void pairs(read_only pipe cell p, global double *out) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  reserve_id_t older = sub_group_reserve_read_pipe(p, n); /* HERE */
  reserve_id_t younger = sub_group_reserve_read_pipe(p, n);
  cell x = {0, 0, 0}, y = {0, 0, 0};
  if (is_valid_reserve_id(younger)) {
    read_pipe(p, younger, lane, &y);
    sub_group_commit_read_pipe(p, younger);
  }
  if (is_valid_reserve_id(older)) {
    read_pipe(p, older, lane, &x);
#ifndef WRONG
    sub_group_commit_read_pipe(p, older);
#endif
  }
  out[get_global_id(0)] = x.value * y.value;
}
