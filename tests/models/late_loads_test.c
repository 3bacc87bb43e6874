/* Loads that their compute unit performs return what memory held when it accepted them. */
#include <stdio.h>
#include <stdlib.h>

#include "models/late_loads.h"
#include "tests/ct.h"
#include "tests/models/rig.h"

CT_FREES(struct simulation, simulation_free)

/* Work-group 0 loads a word after 20 rounds of a loop and then waits for it, with no step in which it could read it.
 * Work-group 1 writes the word at about the same time, after `delay` rounds. */
static void write_race(char *text, size_t room, unsigned delay) {
  snprintf(text, room,
           ".kernel race\n.arg data global\n.arg out global\n.reg g, v, n\n.reg64 p, q\n.pred more\n"
           "  ld.arg.b64 p, data\n"
           "  ld.arg.b64 q, out\n"
           "  get.group_id g, x\n"
           "  mov.b32 n, 20\n"
           "  setp.eq.u32 more, g, 1\n"
           "@more mov.b32 n, %u\n"
           "again: sub.i32 n, n, 1\n"
           "  setp.gt.u32 more, n, 0\n"
           "@more bra again\n"
           "  mov.b32 v, 77777\n"
           "  setp.eq.u32 more, g, 1\n"
           "@more bra write\n"
           "  ld.global.b32 v, [p+128]\n"
           "  st.global.b32 [q], v\n"
           "  exit\n"
           "write: st.global.b32 [p+128], v\n"
           "  exit\n",
           delay);
}

/* What the load returned: performed by the memory itself, because a recorder is attached (the rig's), and by the
 * compute unit. */
static uint32_t brought(unsigned delay, bool late) {
  char text[1000];
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  size_t count = 0;
  write_race(text, sizeof text, delay);
  if (!rig_build(&rig, "cu.count=2", 64, 32, text))
    return UINT32_MAX;
  ct_freed(simulation_free_at) struct simulation *simulation = simulation_new(&rig.machine);
  struct island **islands = simulation_islands(simulation, &count);
  struct host *host = host_plain(islands, count, ORDER_ASCENDING, 0);
  if (late)
    simulation_run(simulation, host, &rig.launch, rig.limit, NULL, &rig.result);
  else
    rig_start(&rig);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  const uint32_t word = rig_word(&rig, 1, 0);
  host->free(host);
  return word;
}

TEST(late_loads, a_later_write_is_not_seen) {
  unsigned before = 0, after = 0;
  for (unsigned delay = 1; delay < 40; delay++) {
    const uint32_t expected = brought(delay, false);
    ct_note("delay %u", delay);
    EXPECT_EQ(brought(delay, true), expected);
    before += expected == 32; /* word 32 holds its index */
    after += expected == 77777;
  }
  EXPECT_TRUE(before > 5 && after > 5);
}

TEST(late_loads, a_round_ends_when_no_load_waits) {
  struct late_loads late;
  const struct mem_line lines[] = {{.line = 5}, {.line = 6}}, other = {.line = 7};
  late_init(&late, 3);
  EXPECT_EQ(late_reader(&late, lines), LATE_NOBODY);
  late_add(&late, 1, &(struct late_load){.lines = lines, .count = 2});
  EXPECT_EQ(late_reader(&late, lines), 1);
  EXPECT_EQ(late_reader(&late, lines + 1), 1);
  EXPECT_EQ(late_reader(&late, &other), LATE_NOBODY);
  late_end_round(&late);
  EXPECT_EQ(late_reader(&late, lines), 1);
  late.queue[1].count = 0;
  late_end_round(&late);
  EXPECT_EQ(late_reader(&late, lines), LATE_NOBODY);
  late.round = UINT16_MAX;
  late_add(&late, 2, &(struct late_load){.lines = lines, .count = 1});
  late.queue[2].count = 0;
  late_end_round(&late);
  EXPECT_EQ(late.round, 1);
  EXPECT_EQ(late_reader(&late, lines), LATE_NOBODY);
  late_free(&late);
}

TEST(late_loads, lines_of_one_and_of_several_compute_units_are_distinguished) {
  struct late_loads late;
  const struct mem_line lines[] = {{.line = 5}, {.line = 6}};
  late_init(&late, 3);
  late_add(&late, 0, &(struct late_load){.lines = lines, .count = 2});
  late_add(&late, 2, &(struct late_load){.lines = lines, .count = 1});
  late_add(&late, 0, &(struct late_load){.lines = lines + 1, .count = 1});
  EXPECT_EQ(late_reader(&late, lines), LATE_SEVERAL);
  EXPECT_EQ(late_reader(&late, lines + 1), 0);
  late.queue[0].count = late.queue[2].count = 0;
  late_end_round(&late);
  late_add(&late, 1, &(struct late_load){.lines = lines, .count = 1});
  EXPECT_EQ(late_reader(&late, lines), 1);
  late_free(&late);
}
