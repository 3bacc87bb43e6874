//// advice_differs_within_and
kernel void k(global const int *a, global int *b) {
  local int t[8];
  event_t e = async_work_group_copy(t, a, 8, 0);
  int x = t[get_local_id(0)];
  wait_group_events(1, &e);
  e = async_work_group_copy(b, t, 8, 0);
  wait_group_events(1, &e);
  if (get_group_id(0))
    b[get_local_id(0)] = x;
}
