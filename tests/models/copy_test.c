/* Asynchronous copies: which bytes they move, when they complete, what their events mean. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { START = 10 };

/* ---- closed forms ------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A pipe that passes `width` bytes a cycle and is busy until `*busy` (in bytes). Returns the first cycle after `bytes`
 * that arrived at cycle `at` have passed. */
static uint64_t pass(uint64_t *busy, uint64_t width, uint64_t at, uint64_t bytes) {
  *busy = later(*busy, at * width) + bytes;
  return div_up(*busy, width);
}

/* Cycles from the issue of an inbound copy of `bytes` at an aligned address on an idle machine to the completion of its
 * event: the formulas of docs/closed-forms.md, request by request. The engine sends one request a cycle, but not before
 * the request `outstanding` places ahead of it has landed. DRAM, the downlink, the engine's read side and the LDS port
 * are pipes that pass the requests in order. */
static uint64_t inbound(const struct machine *machine, uint64_t bytes) {
  static uint64_t landing[4096];
  const struct dma_params *dma = &machine->dma;
  const struct mem_params *mem = &machine->mem;
  uint64_t send = 1 + dma->setup, dram = 0, down = 0, read = 0, landed = send;
  for (uint64_t i = 0; i * dma->granularity < bytes; i++, send++) {
    uint64_t left = bytes - i * dma->granularity, b = left < dma->granularity ? left : dma->granularity;
    send = i < dma->outstanding ? send : later(send, landing[i - dma->outstanding]);
    uint64_t at_l2 = send + 1 + mem->link_latency;
    uint64_t sectors = div_up(b, mem->sector) * mem->sector;
    uint64_t from_dram = pass(&dram, mem->dram_width, at_l2, sectors);
    uint64_t departs = from_dram - 1 + mem->l2_latency + mem->dram_latency;
    uint64_t arrives = pass(&down, mem->link_width, departs, sectors) + mem->link_latency;
    uint64_t in_engine = pass(&read, dma->read_width, arrives, b);
    landed = later(in_engine, landed) + div_up(b, dma->write_width);
    landing[i] = landed;
  }
  return landed + later(dma->completion, 1);
}

static const char *const copy_kernel =
    ".kernel k\n.arg src global\n.lds t 65536\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
    " copy.to_lds e, [t], [p], %u, size=1\n wait e\n exit\n";

static uint64_t measured_latency(const char *settings, uint32_t bytes, struct machine *machine) {
  char kernel[512];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel, copy_kernel, bytes);
  rig_run(&rig, settings, 32, 32, kernel);
  uint64_t latency = rig.result.dma_latency->maximum;
  *machine = rig.machine;
  EXPECT_EQ(rig.result.dma_latency->count, 1);
  EXPECT_EQ(rig.result.dma.bytes, bytes);
  return latency;
}

TEST(copy, the_closed_form_is_exact_from_1_byte_to_64_kib) {
  /* The first is `teaching` with a larger LDS: its parameters are the defaults. */
  static const char *const settings[] = {"", "dma.outstanding=4096", "dma.setup=0 dma.completion=1 dma.outstanding=5",
                                         "dma.granularity=128 dma.outstanding=4096 mem.link_width=32"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    char with[128];
    snprintf(with, sizeof with, "lds.size=128K %s", settings[i]);
    for (uint32_t bytes = 1; bytes <= 65536; bytes = bytes < 8 ? bytes + 1 : bytes * 3 / 2) {
      struct machine machine;
      ct_note("%s, %u bytes", with, bytes);
      uint64_t latency = measured_latency(with, bytes, &machine);
      EXPECT_EQ(latency, inbound(&machine, bytes));
    }
  }
}

/* ---- meaning ------------------------------------------------------------------------------ */

TEST(copy, moves_every_element_size_in_and_out_and_leaves_the_rest_unchanged) {
  for (uint32_t size = 1; size <= 128; size *= 2) {
    char kernel[768];
    ct_freed(rig_free) struct rig rig;
    ct_note("elements of %u bytes", size);
    snprintf(kernel, sizeof kernel,
             ".kernel k\n.arg src global\n.arg dst global\n.lds t 8192\n.reg e\n.reg64 p, q\n ld.arg.b64 p, src\n"
             " ld.arg.b64 q, dst\n copy.to_lds e, [t], [p], 17, size=%u\n wait e\n mov.b32 e, 0\n"
             " copy.to_global e, [q], [t], 17, size=%u\n wait e\n exit\n",
             size, size);
    rig_run(&rig, "", 64, 64, kernel);
    EXPECT_EQ(memcmp(rig.buffers[1].data, rig.buffers[0].data, (size_t)17 * size), 0);
    for (uint32_t i = 17 * size; i < RIG_BUFFER; i++)
      if (rig.buffers[1].data[i] && !EXPECT_EQ(rig.buffers[1].data[i], 0))
        break;
    EXPECT_EQ(rig.result.dma.descriptors, 2);
    EXPECT_EQ(rig.result.dma.bytes, 2 * 17 * size);
    EXPECT_EQ(rig.result.hazard_count, 0);
  }
}

TEST(copy, strides_are_on_the_global_side_in_elements) {
  const char *text =
      ".kernel k\n.arg src global\n.arg dst global\n.lds t 8192\n.reg e\n.reg64 p, q\n ld.arg.b64 p, src\n"
      " ld.arg.b64 q, dst\n copy.to_lds.strided e, [t], [p], 50, 3, size=4\n wait e\n mov.b32 e, 0\n"
      " copy.to_global.strided e, [q], [t], 50, 5, size=4\n wait e\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.count=2", 64, 64, text);
  for (uint32_t i = 0; i < 250; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), i % 5 ? 0 : i / 5 * 3);
  EXPECT_EQ(rig.result.dma.lines, 100);
}

TEST(copy, takes_one_descriptor_per_work_group_and_call) {
  const char *text = ".kernel k\n.arg src global\n.lds t 1024\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.warps=64", 512, 256, text);
  EXPECT_EQ(rig.result.dma.descriptors, 2);
  EXPECT_EQ(rig.result.cu.copies, 2);
  EXPECT_EQ(rig.result.cu.waits, 2);
}

TEST(copy, bytes_are_stale_until_the_wait) {
  const char *text =
      ".kernel k\n.arg src global\n.arg dst global\n.lds t 1024\n.reg e, i, v, w\n.reg64 p, q\n ld.arg.b64 p, src\n"
      " ld.arg.b64 q, dst\n get.local_id i, x\n shl.b32 i, i, 2\n copy.to_lds e, [t], [p + 0], 64, size=4\n"
      " ld.lds.b32 v, [t + i]\n wait e\n ld.lds.b32 w, [t + i]\n st.global.b32 [q + i], v\n"
      " st.global.b32 [q + i + 1024], w\n exit\n";
  char kernel[1024];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel, "%s", text);
  char *plus = strstr(kernel, "[p + 0]");
  memcpy(plus, "[p]    ", 7);
  rig_run(&rig, "", 64, 64, kernel);
  for (uint32_t i = 0; i < 64; i++) {
    EXPECT_EQ(rig_word(&rig, 1, i), 0);
    EXPECT_EQ(rig_word(&rig, 1, 256 + i), i);
  }
}

TEST(copy, an_event_covers_every_copy_that_joined_it) {
  /* two copies on one event, the second much longer: one wait covers both */
  const char *text =
      ".kernel k\n.arg src global\n.arg dst global\n.lds t 16384\n.reg e, i, v\n.reg64 p, q\n ld.arg.b64 p, src\n"
      " ld.arg.b64 q, dst\n get.local_id i, x\n shl.b32 i, i, 2\n copy.to_lds e, [t], [p], 4, size=4\n"
      " copy.to_lds e, [t + 1024], [p], 3000, size=4\n wait e\n ld.lds.b32 v, [t + i + 12768]\n"
      " st.global.b32 [q + i], v\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, text);
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), (12768 - 1024) / 4 + i);
  EXPECT_EQ(rig.result.hazard_count, 0);
}

TEST(copy, events_may_be_waited_for_in_any_order_and_listed_twice) {
  const char *text = ".kernel k\n.arg src global\n.lds t 16384\n.reg e, f, g\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 2000, size=4\n copy.to_lds f, [t], [p], 4, size=4\n"
                     " copy.to_lds g, [t], [p], 400, size=4\n wait f, f\n wait g, e\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, text);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.hazard_count, 0);
  EXPECT_EQ(rig.result.dma.descriptors, 3);
  EXPECT_EQ(rig.result.cu.waits, 2);
}

TEST(copy, of_no_bytes_completes_and_changes_nothing) {
  const char *text = ".kernel k\n.arg src global\n.lds t 64\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 0, size=4\n wait e\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, text);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.dma.descriptors, 1);
  EXPECT_EQ(rig.result.dma.requests, 0);
  EXPECT_EQ(rig.result.dma.bytes, 0);
}

TEST(copy, a_full_queue_stalls_the_group_and_is_counted) {
  const char *text =
      ".kernel k\n.arg src global\n.lds t 8192\n.reg e, n\n.reg64 p\n.pred more\n ld.arg.b64 p, src\n"
      "again: copy.to_lds e, [t], [p], 1000, size=4\n add.i32 n, n, 1\n setp.lt.u32 more, n, 6\n@more bra again\n"
      " wait e\n exit\n";
  ct_freed(rig_free) struct rig narrow, wide;
  rig_run(&narrow, "dma.queue=1 dma.channels=1", 32, 32, text);
  rig_run(&wide, "dma.queue=8 dma.channels=1", 32, 32, text);
  EXPECT_GT(narrow.result.stalls[STALL_DMA_QUEUE], 0);
  /* the warp's wait for room is time that it does not hide */
  EXPECT_GE(narrow.result.cu.exposed_cycles, narrow.result.stalls[STALL_DMA_QUEUE]);
  EXPECT_EQ(wide.result.stalls[STALL_DMA_QUEUE], 0);
  EXPECT_EQ(narrow.result.dma.descriptors, 6);
  EXPECT_GT(wide.result.dma_queue_peak, narrow.result.dma_queue_peak);
}

TEST(copy, with_retry_it_tries_again_every_gap_until_there_is_room) {
  /* Three copies at c, c + 4, c + 8, one channel, a queue of one. The third has room from the cycle in which the first
   * has landed and a credit is back. Its group continues with the first attempt after that. */
  const char *text = ".kernel k\n.arg src global\n.lds t 1024\n.reg e, f, g\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 16, size=4\n copy.to_lds f, [t], [p], 16, size=4\n"
                     " copy.to_lds g, [t], [p], 16, size=4\n exit\n";
  for (uint32_t gap = 1; gap < 400; gap += gap / 2 + 1) {
    char settings[128];
    struct rig stall, retry;
    rig_run(&stall, "dma.queue=1 dma.channels=1", 32, 32, text);
    uint64_t waited = stall.result.stalls[STALL_DMA_QUEUE] + 1; /* from its issue until there is room */
    snprintf(settings, sizeof settings, "dma.queue=1 dma.channels=1 dma.full=retry dma.retry_gap=%u", gap);
    ct_note("%s", settings);
    rig_run(&retry, settings, 32, 32, text);
    EXPECT_EQ(retry.result.cu.copy_retries, div_up(waited, gap));
    EXPECT_EQ(retry.result.stalls[STALL_DMA_QUEUE], div_up(waited, gap) * (gap - 1));
    EXPECT_EQ(retry.result.cu.exposed_cycles, div_up(waited, gap) * gap);
    EXPECT_EQ(retry.result.stalls[STALL_ISSUED], retry.result.cu.warp_instructions + retry.result.cu.copy_retries);
    rig_free(&stall);
    rig_free(&retry);
  }
}

TEST(copy, a_work_group_always_uses_the_same_engine) {
  /* One group cannot use a second engine. Two groups use one each. */
  const char *text = ".kernel k\n.arg src global\n.lds t 8192\n.reg e, f\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 1000, size=4\n copy.to_lds f, [t + 4096], [p], 1000, size=4\n"
                     " wait e, f\n exit\n";
  const char *one = "dma.channels=1 dma.outstanding=2", *two = "dma.channels=1 dma.outstanding=2 dma.engines=2";
  EXPECT_EQ(rig_cycles(two, 32, 32, text), rig_cycles(one, 32, 32, text));
  EXPECT_LT(rig_cycles(two, 64, 32, text) * 10, rig_cycles(one, 64, 32, text) * 7);
}

TEST(copy, hidden_time_is_what_the_group_computes_while_its_copy_is_in_flight) {
  /* the copy takes `latency`; the group computes `work` cycles between the copy and the wait */
  const char *text =
      ".kernel k\n.arg src global\n.lds t 1024\n.reg e, n\n.reg64 p\n.pred more\n ld.arg.b64 p, src\n"
      " copy.to_lds e, [t], [p], 256, size=4\nspin: add.i32 n, n, 1\n setp.lt.u32 more, n, %u\n@more bra spin\n"
      " wait e\n exit\n";
  uint64_t copy_cycles = 0;
  for (uint32_t spins = 1; spins < 100; spins += 14) {
    char kernel[512];
    ct_freed(rig_free) struct rig rig;
    ct_note("%u spins", spins);
    snprintf(kernel, sizeof kernel, text, spins);
    rig_run(&rig, "", 32, 32, kernel);
    /* the copy's release comes 4 cycles later; a spin is 4 + 4 + 4 cycles; the wait issues next */
    uint64_t work = 4 + 12 * (uint64_t)spins, latency = rig.result.dma_latency->maximum;
    if (copy_cycles)
      EXPECT_EQ(rig.result.cu.copy_cycles, copy_cycles);
    copy_cycles = rig.result.cu.copy_cycles;
    EXPECT_EQ(copy_cycles, latency);
    EXPECT_EQ(rig.result.cu.exposed_cycles, latency > work ? latency - work : 0);
  }
}

TEST(copy, work_groups_are_distributed_over_engines_in_turn) {
  const char *text = ".kernel k\n.arg src global\n.lds t 4096\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 1000, size=4\n wait e\n exit\n";
  /* eight groups at once, an engine with one channel: where the engine is the limit, two engines halve the time */
  uint64_t one =
      rig_cycles("dma.engines=1 dma.channels=1 dma.write_width=4 lds.size=64K mem.link_width=256", 256, 32, text);
  uint64_t two = rig_cycles("dma.engines=2 dma.channels=1 dma.outstanding=2", 256, 32, text);
  uint64_t single = rig_cycles("dma.engines=1 dma.channels=1 dma.outstanding=2", 256, 32, text);
  EXPECT_GT(one, 0);
  EXPECT_LT(two * 10, single * 6);
}

/* Steady state: cycles that a copy of 32 KiB takes beyond one of 16 KiB. */
static uint64_t steady(const char *settings) {
  struct machine machine;
  return measured_latency(settings, 32768, &machine) - measured_latency(settings, 16384, &machine);
}

/* Three copies in a loop and one after it, each after the previous one. */
static cycle_t cycles_of_copies(const char *settings, const char *copy) {
  char text[1024];
  snprintf(text, sizeof text,
           ".kernel k\n.arg src global\n.lds t 1024\n.reg e, i, n, l, g\n.reg64 p\n.pred more\n ld.arg.b64 p, src\n"
           " mov.b32 n, 4\n mov.b32 l, 8\n mov.b32 g, 32\n mov.b32 i, 3\nagain: mov.b32 e, 0\n%s wait e\n"
           " sub.i32 i, i, 1\n setp.ne.u32 more, i, 0\n@more bra again\n mov.b32 e, 0\n%s wait e\n exit\n",
           copy, copy);
  return rig_cycles(settings, 32, 32, text);
}

TEST(copy, the_first_of_an_instructions_copies_of_lines_fetches_its_descriptor) {
  const char *lines = " copy.to_lds.2d e, [n], [p], n, size=n, lines=l, global_line=g, lds_line=n\n";
  const char *plain = " copy.to_lds e, [t], [p], 16, size=4\n";
  const char *without = "cu.count=1 dma.descriptor_fetch=0", *with = "cu.count=1 dma.descriptor_fetch=41";
  EXPECT_EQ(cycles_of_copies(with, lines), cycles_of_copies(without, lines) + 2 * 41);
  EXPECT_EQ(cycles_of_copies(with, plain), cycles_of_copies(without, plain));
}

TEST(copy, the_second_instruction_of_a_program_fetches_its_descriptor_too) {
  const char *text =
      ".kernel k\n.arg src global\n.reg e, n, l, g\n.reg64 p\n bra start\n"
      "again: copy.to_lds.2d e, [n], [p], n, size=n, lines=l, global_line=g, lds_line=n\n wait e\n exit\n"
      "start: ld.arg.b64 p, src\n mov.b32 n, 4\n mov.b32 l, 8\n mov.b32 g, 32\n bra again\n";
  EXPECT_EQ(rig_cycles("cu.count=1 dma.descriptor_fetch=41", 32, 32, text),
            rig_cycles("cu.count=1 dma.descriptor_fetch=0", 32, 32, text) + 41);
}

TEST(copy, throughput_is_the_narrowest_limit) {
  const char *const wide =
      "lds.size=128K dma.outstanding=4096 dma.granularity=256 dma.burst=4096 dma.read_width=256 dma.write_width=256 "
      "mem.link_width=1024 mem.l2_width=4096 mem.dram_width=4096 lds.banks=64 lds.bank_bytes=8";
  static const struct {
    const char *what, *set;
    uint64_t bytes_per_cycle;
  } rows[] = {
      {"the link", "mem.link_width=16", 16},      {"the L2", "mem.l2_width=16", 16},
      {"DRAM", "mem.dram_width=16", 16},          {"the engine's read side", "dma.read_width=16", 16},
      {"the LDS port", "dma.write_width=16", 16}, {"a request a cycle", "dma.granularity=16", 16},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char settings[512];
    ct_note("%s", rows[i].what);
    snprintf(settings, sizeof settings, "%s %s", wide, rows[i].set);
    EXPECT_EQ(steady(settings), 16384 / rows[i].bytes_per_cycle);
  }
}

TEST(copy, few_outstanding_requests_limit_throughput_to_their_bytes_over_the_latency) {
  for (uint32_t outstanding = 1; outstanding <= 4; outstanding *= 2) {
    char settings[512];
    struct machine machine;
    snprintf(settings, sizeof settings, "lds.size=128K dma.outstanding=%u", outstanding);
    ct_note("%s", settings);
    /* a request of 64 bytes is in flight from sending to landing: the latency of a 64-byte copy without what comes
     * before and after */
    uint64_t alone = measured_latency(settings, 64, &machine);
    uint64_t round_trip = alone - (1 + machine.dma.setup) - machine.dma.completion;
    uint64_t cycles = steady(settings);
    EXPECT_EQ(cycles, 16384 / machine.dma.granularity / outstanding * round_trip);
  }
}

TEST(copy, engines_and_warps_take_turns_at_the_memory_port) {
  /* 16 warps store in every cycle for a long time; the copy's requests get every second turn, not the leftovers */
  char kernel[8192] =
      ".kernel k\n.arg src global\n.arg dst global\n.lds t 8192\n.reg e\n.reg64 p, q\n ld.arg.b64 p, src\n"
      " ld.arg.b64 q, dst\n copy.to_lds e, [t], [p], 8192, size=1\n";
  static const char *const settings = "cu.accesses=4096 dma.outstanding=4096 mem.link_width=1024 mem.l2_width=65536 "
                                      "mem.dram_width=65536";
  uint64_t requests = 8192 / 64, latency[2];
  for (unsigned busy = 0; busy < 2; busy++) {
    ct_freed(rig_free) struct rig rig;
    for (unsigned i = 0; busy && i < 40; i++)
      strcat(kernel, " st.global.b32 [q], e\n");
    strcat(kernel, busy ? " wait e\n exit\n" : "");
    char whole[8300];
    snprintf(whole, sizeof whole, "%s%s", kernel, busy ? "" : " wait e\n exit\n");
    rig_run(&rig, settings, 512, 512, whole);
    latency[busy] = rig.result.dma_latency->maximum;
  }
  EXPECT_GT(latency[1], latency[0] + requests - 10);
  EXPECT_LE(latency[1], latency[0] + requests + 10);
}

TEST(copy, groups_that_wait_for_room_are_served_in_order_of_their_copies) {
  /* Three groups of six copies each; the engine holds one copy and its queue one. The group that waits longest is next,
   * so no copy waits for more than one copy of each other group, the queue and the channel. */
  const char *text = ".kernel k\n.arg src global\n.lds t 4096\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 1024, size=4\n copy.to_lds e, [t], [p], 1024, size=4\n"
                     " copy.to_lds e, [t], [p], 1024, size=4\n copy.to_lds e, [t], [p], 1024, size=4\n"
                     " copy.to_lds e, [t], [p], 1024, size=4\n copy.to_lds e, [t], [p], 1024, size=4\n wait e\n exit\n";
  ct_freed(rig_free) struct rig alone, three;
  rig_run(&alone, "dma.queue=1 dma.channels=1", 32, 32, text);
  rig_run(&three, "dma.queue=1 dma.channels=1", 96, 32, text);
  uint64_t one = alone.result.dma_latency->minimum;
  EXPECT_EQ(three.result.dma_latency->count, 18);
  EXPECT_LE(three.result.dma_latency->maximum, 5 * one);
}

TEST(copy, latencies_per_instruction_add_up_to_those_of_the_engines) {
  const char *text = ".kernel k\n.arg src global\n.lds t 16384\n.reg e, f\n.reg64 p\n ld.arg.b64 p, src\n"
                     " copy.to_lds e, [t], [p], 16, size=4\n copy.to_lds.strided f, [t + 64], [p], 500, 3, size=4\n"
                     " wait e\n wait f\n exit\n";
  ct_freed(rig_free) struct rig rig;
  uint64_t cycles = 0, done = 0, most = 0, issued = 0;
  rig_run(&rig, "cu.count=2 dma.channels=1", 64 * 12, 64, text);
  for (uint32_t pc = 0; pc < rig.program->count; pc++) {
    const struct pc_result *at = &rig.result.by_pc[pc];
    cycles += at->copy_cycles;
    done += at->copies_done;
    most = cycle_max(most, at->copy_max);
    issued += at->copies > 0;
    EXPECT_EQ(at->copies_done, at->copies);
    EXPECT_EQ(at->copy_cycles > 0, at->copies > 0);
  }
  EXPECT_EQ(issued, 2);
  EXPECT_EQ(done, 24);
  EXPECT_EQ(cycles, rig.result.dma_latency->sum);
  EXPECT_EQ(most, rig.result.dma_latency->maximum);
  EXPECT_LT(rig_pc(&rig, "copy.to_lds")->copy_max, rig_pc(&rig, "copy.to_lds.strided")->copy_max);
}

/* One copy of 64 bytes and a wait for it. */
#define ONE_COPY(copy)                                                                                                 \
  ".kernel k\n.arg src global\n.lds t 64\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n" copy "\n wait e\n exit\n"
static const char *const one_in = ONE_COPY(" copy.to_lds e, [t], [p], 16, size=4");
static const char *const one_out = ONE_COPY(" copy.to_global e, [p], [t], 16, size=4");

TEST(copy, loads_into_registers_do_not_delay_copies) {
  EXPECT_EQ(rig_cycles("mem.fill_latency=56", 32, 32, one_in), rig_cycles("", 32, 32, one_in));
  EXPECT_EQ(rig_cycles("mem.fill_latency=56", 32, 32, one_out), rig_cycles("", 32, 32, one_out));
}

TEST(copy, a_wait_for_outbound_copies_only_has_its_own_latency) {
  uint64_t in = rig_cycles("cu.wait_latency=40", 32, 32, one_in),
           out = rig_cycles("cu.wait_latency=40", 32, 32, one_out);
  EXPECT_EQ(rig_cycles("cu.wait_latency=40 cu.wait_out_latency=7", 32, 32, one_in), in);
  EXPECT_EQ(rig_cycles("cu.wait_latency=40 cu.wait_out_latency=7", 32, 32, one_out), out - 33);
  static const char *const both = ".kernel k\n.arg src global\n.lds t 64\n.reg e, f\n.reg64 p\n ld.arg.b64 p, src\n"
                                  " copy.to_lds e, [t], [p], 1, size=4\n wait e\n mov.b32 e, 0\n"
                                  " copy.to_lds e, [t], [p], 1, size=4\n"
                                  " copy.to_global f, [p], [t + 32], 1, size=4\n wait f, e\n exit\n";
  EXPECT_EQ(rig_cycles("cu.wait_latency=40 cu.wait_out_latency=7", 32, 32, both),
            rig_cycles("cu.wait_latency=40", 32, 32, both));
}

/* The event of a posted copy does not wait for memory, but the end of its work-group does. */
TEST(copy, a_posted_copy_ends_for_its_warps_before_it_ends_for_its_work_group) {
  ct_freed(rig_free) struct rig posted, plain;
  rig_run(&posted, "mem.link_latency=300 dma.posted=1024", 32, 32, one_out);
  rig_run(&plain, "mem.link_latency=300", 32, 32, one_out);
  const struct dma_params *dma = &posted.machine.dma;
  EXPECT_EQ(posted.result.cycles, plain.result.cycles - plain.machine.cu.wait_latency - 1); /* wait, exit */
  EXPECT_EQ(posted.result.dma_latency->maximum, 1 + dma->setup + 1 + 1 + dma->completion);
  EXPECT_LT(posted.result.dma_latency->maximum + 600, plain.result.dma_latency->maximum);
  /* Until then the copy uses a CU that still holds its group, although all warps have exited. */
  EXPECT_GT(posted.result.dma.channel_cycles, posted.result.cu.active_cycles);
  EXPECT_EQ(posted.result.together_active, posted.result.cycles - posted.machine.cu.dispatch_latency);
}

TEST(copy, a_copy_cut_short_after_its_warps_ended_is_counted_up_to_that_point) {
  ct_freed(rig_free) struct rig rig = {.limit = 400};
  ASSERT_TRUE(rig_build(&rig, "mem.link_latency=300 dma.posted=1024", 32, 32, one_out));
  rig_start(&rig);
  EXPECT_EQ(rig.result.end, END_CYCLE_LIMIT);
  EXPECT_LT(rig.result.cu.active_cycles, 100); /* all warps have exited */
  EXPECT_GT(rig.result.cu.copy_cycles, 300);
}

TEST(copy, lines_in_trains_move_the_same_bytes_as_separate_lines) {
  /* 24 lines of 16 bytes, 64 apart: half a sector each */
  for (uint32_t train = 1; train <= 8; train *= 2) {
    char settings[128];
    ct_freed(rig_free) struct rig rig;
    snprintf(settings, sizeof settings, "dma.lines=separate dma.outstanding=1024 dma.buffer=256 dma.train=%u", train);
    rig_run(
        &rig, settings, 32, 32,
        ".kernel k\n.arg src global\n.lds t 384\n.reg e, at, n, size, lines, far, near\n.reg64 p\n"
        " ld.arg.b64 p, src\n mov.b32 at, t\n mov.b32 n, 16\n mov.b32 size, 1\n mov.b32 lines, 24\n"
        " mov.b32 far, 64\n mov.b32 near, 16\n"
        " copy.to_lds.2d e, [at], [p], n, size=size, lines=lines, global_line=far, lds_line=near\n wait e\n exit\n");
    ct_note("trains of %u", train);
    EXPECT_EQ(rig.result.hazard_count, 0);
    EXPECT_EQ(rig.result.dma.requests, 24);
    EXPECT_EQ(rig.result.mem.dma_sector_bytes, 24 * 32);
    EXPECT_EQ(rig.result.mem.link_down_bytes, 24 * 32);
  }
}
