/* An outside memory in place of the L2 and DRAM: a fake one that keeps its own bytes. */
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { DELAY = 40, ANSWERS = 1024 };

/* Answers each transaction DELAY cycles after its start: it announces that at once or, if late, answers when the time
 * has come, like a component beside the memory. It has a copy of all buffers. */
struct fake {
  struct outside outside;
  struct component component;
  struct {
    uint32_t tag;
    cycle_t at;
  } answer[ANSWERS];
  size_t begun, answered;
  bool late;
  uint8_t *bytes[RIG_BUFFERS + RIG_PIPES];
  uint64_t reads, writes, largest;
  bool fail;
};

static uint8_t *at(struct fake *fake, uint64_t address) {
  uint64_t offset = address - ISA_GLOBAL_BASE;
  return fake->bytes[offset / (4 * RIG_BUFFER)] + offset % (4 * RIG_BUFFER);
}

static void start(struct outside *outside, cycle_t now, const struct transfer *transfer, uint8_t *data) {
  struct fake *fake = (struct fake *)outside;
  if (transfer->write)
    memcpy(at(fake, transfer->rect.base), data, transfer->rect.bytes);
  else
    memcpy(data, at(fake, transfer->rect.base), transfer->rect.bytes);
  fake->reads += !transfer->write;
  fake->writes += transfer->write;
  fake->largest = transfer->rect.bytes > fake->largest ? transfer->rect.bytes : fake->largest;
  if (!fake->late) {
    outside->done(outside->context, transfer->tag, now + DELAY, !fake->fail);
    return;
  }
  ASSERT_TRUE(fake->begun < ANSWERS);
  fake->answer[fake->begun].tag = transfer->tag;
  fake->answer[fake->begun++].at = now + DELAY;
  component_wake(&fake->component, now + DELAY);
}

static cycle_t answer(void *self, cycle_t now) {
  struct fake *fake = self;
  for (; fake->answered < fake->begun && fake->answer[fake->answered].at <= now; fake->answered++)
    fake->outside.done(fake->outside.context, fake->answer[fake->answered].tag, now, !fake->fail);
  return fake->answered < fake->begun ? fake->answer[fake->answered].at : NEVER;
}

/* Runs a kernel on a machine whose launch memory is blank: all its data come from the fake. */
static void run(struct rig *rig, struct fake *fake, const char *text) {
  *rig = (struct rig){.order = ORDER_ASCENDING};
  *fake = (struct fake){.outside = {.start = start},
                        .component = {.name = "fake", .step = answer, .self = fake},
                        .fail = fake->fail,
                        .late = fake->late};
  if (!rig_build(rig, "cu.count=2", 128, 64, text))
    return;
  for (size_t i = 0; i < rig->memory.count; i++) {
    const size_t bytes = (size_t)rig->buffers[i].bytes;
    fake->bytes[i] = malloc(bytes);
    memcpy(fake->bytes[i], rig->buffers[i].data, bytes);
    memset(rig->buffers[i].data, 0xee, bytes);
  }
  simulation_attach(rig->simulation, &fake->outside);
  size_t count;
  if (fake->late)
    island_add(simulation_islands(rig->simulation, &count)[0], &fake->component);
  rig_start(rig);
}

static uint32_t word(const struct fake *fake, unsigned buffer, uint32_t index) {
  uint32_t value = 0;
  memcpy(&value, fake->bytes[buffer] + 4 * (size_t)index, 4);
  return value;
}

static void end(struct rig *rig, struct fake *fake) {
  for (unsigned i = 0; i < RIG_BUFFERS + RIG_PIPES; i++)
    free(fake->bytes[i]);
  rig_free(rig);
}

TEST(outside, loads_and_stores_move_its_bytes) {
  struct rig rig;
  struct fake fake = {.fail = false};
  run(&rig, &fake,
      ".kernel k\n.arg a global\n.arg b global\n.reg i, v\n.reg64 p, q\n ld.arg.b64 p, a\n ld.arg.b64 q, b\n"
      " get.global_id i, x\n shl.b32 i, i, 2\n ld.global.b32 v, [p + i]\n add.i32 v, v, 5\n"
      " st.global.b32 [q + i], v\n exit\n");
  for (uint32_t i = 0; i < 128; i++)
    EXPECT_EQ(word(&fake, 1, i), i + 5);
  EXPECT_EQ(word(&fake, 1, 128), 0);
  EXPECT_EQ(fake.reads, 4); /* four warps, one line each */
  EXPECT_EQ(fake.writes, 4);
  EXPECT_EQ(fake.largest, 128);
  EXPECT_EQ(rig.result.mem.outside_requests, 8);
  EXPECT_EQ(rig.result.mem.outside_errors, 0);
  EXPECT_EQ(rig.result.mem.l2_hits + rig.result.mem.l2_misses + rig.result.mem.dram_bytes, 0);
  end(&rig, &fake);
}

TEST(outside, copies_and_atomics_move_its_bytes) {
  struct rig rig;
  struct fake fake = {.fail = false};
  run(&rig, &fake,
      ".kernel k\n.arg a global\n.arg b global\n.lds t 256\n.reg e, one\n.reg64 p, q\n ld.arg.b64 p, a\n"
      " ld.arg.b64 q, b\n copy.to_lds e, [t], [p], 64, size=4\n wait e\n mov.b32 e, 0\n"
      " copy.to_global e, [q], [t], 64, size=4\n wait e\n mov.b32 one, 1\n add.i64 q, q, 1024\n"
      " atom.global.add.i32 _, [q], one\n exit\n");
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(word(&fake, 1, i), i);
  EXPECT_EQ(word(&fake, 1, 256), 128);
  end(&rig, &fake);
}

TEST(outside, its_delay_adds_to_the_latency_of_a_load) {
  /* issue, port, link, L2's entry, the outside memory's delay and a cycle back, link: as in memory.h */
  struct rig rig;
  struct fake fake = {.fail = false};
  run(&rig, &fake,
      ".kernel k\n.arg a global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, a\n get.local_id i, x\n shl.b32 i, i, 2\n"
      " ld.global.b32 v, [p + i]\n mov.b32 v, v\n exit\n");
  const struct mem_params *mem = &rig.machine.mem;
  /* the two warps of a group load a cycle apart, and their replies follow each other on the link */
  uint64_t load = 10 + 10, reply = load + 1 + mem->link_latency + DELAY + 1 + 2 + mem->link_latency;
  EXPECT_EQ(rig.result.cycles, reply + 2 + 2);
  end(&rig, &fake);
}

TEST(outside, answering_on_time_is_as_fast_as_announcing_the_delay) {
  uint64_t cycles[2];
  for (unsigned late = 0; late < 2; late++) {
    struct rig rig;
    struct fake fake = {.late = late};
    run(&rig, &fake,
        ".kernel k\n.arg a global\n.arg b global\n.lds t 1024\n.reg e, v\n.reg64 p, q\n ld.arg.b64 p, a\n"
        " ld.arg.b64 q, b\n ld.global.b32 v, [p + 4]\n copy.to_lds e, [t], [p], 256, size=4\n wait e\n"
        " mov.b32 e, 0\n copy.to_global e, [q], [t], 256, size=4\n wait e\n atom.global.add.i32 _, [q], v\n exit\n");
    ct_note(late ? "late" : "at once");
    EXPECT_EQ(rig.result.end, END_FINISHED);
    EXPECT_EQ(word(&fake, 1, 0), 128);
    EXPECT_EQ(word(&fake, 1, 255), 255);
    cycles[late] = rig.result.cycles;
    end(&rig, &fake);
  }
  EXPECT_EQ(cycles[1], cycles[0]);
}

TEST(outside, an_error_response_is_counted) {
  struct rig rig;
  struct fake fake = {.fail = true};
  run(&rig, &fake, ".kernel k\n.arg a global\n.reg v\n.reg64 p\n ld.arg.b64 p, a\n ld.global.b32 v, [p]\n exit\n");
  EXPECT_EQ(rig.result.mem.outside_errors, 4);
  end(&rig, &fake);
}

TEST(outside, packets_and_counters_of_a_pipe_reach_it_and_waiting_reservations_are_refused) {
  struct rig rig;
  struct fake fake = {.fail = false};
  run(&rig, &fake,
      ".kernel k\n.arg fifo pipe\n.arg out global\n.reg i, n, m\n.reg64 p, q, id, at\n.pred ok\n ld.arg.b64 p, fifo\n"
      " ld.arg.b64 q, out\n get.global_id i, x\n pipe.reserve.write.wait id, [p], 1, kind=item\n"
      " pipe.slot.write at, [p], id, 0, size=4\n setp.ne.u64 ok, id, 0\n@ok st.global.b32 [at], i\n"
      " fence.global\n@ok pipe.commit.write [p], id, kind=item\n shl.b32 n, i, 2\n mov.b32 m, 0\n@ok mov.b32 m, 1\n"
      " st.global.b32 [q + n], m\n exit\n");
  uint32_t good = 0;
  uint64_t counters[2];
  for (uint32_t i = 0; i < 128; i++)
    good += word(&fake, 0, i);
  EXPECT_EQ(good, RIG_PACKETS);
  memcpy(counters, fake.bytes[RIG_BUFFERS], sizeof counters);
  EXPECT_EQ(counters[0], RIG_PACKETS); /* the first is what an operation's access sends */
  EXPECT_EQ(rig.result.pipes[0].left, RIG_PACKETS);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  end(&rig, &fake);
}
