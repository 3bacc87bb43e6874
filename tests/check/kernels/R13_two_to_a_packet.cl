/* A work-group writes a block. With -D WRONG two work-items write each packet; otherwise every second one does. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void block(write_only pipe uint p) {
  uint i = get_local_id(0), x = i;
  reserve_id_t id = work_group_reserve_write_pipe(p, 32);
  if (!is_valid_reserve_id(id))
    return;
#ifndef WRONG
  if (i % 2 == 0)
#endif
    write_pipe(p, id, i / 2, &x); /* HERE and OTHER */
  work_group_commit_write_pipe(p, id);
}
