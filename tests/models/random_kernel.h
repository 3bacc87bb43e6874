/* Random kernels that use every feature: arithmetic, divergent branches and loops, accesses to the LDS and global
 * memory, atomic operations, prefetches, barriers, copies of all kinds, fences and waits. They are racy on purpose.
 * They take two buffers and 8192 bytes of LDS. Tame kernels do the same without races: each work-item uses its own
 * words, reads what others write only after a barrier or a wait, and ignores what atomic operations return. */
#ifndef TESTS_MODELS_RANDOM_KERNEL_H
#define TESTS_MODELS_RANDOM_KERNEL_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"

enum { RANDOM_TEXT = 32768 };

struct writer {
  char *text;
  size_t length;
  uint64_t random;
  unsigned labels;
  bool tame;
};

static unsigned below(struct writer *writer, unsigned bound) {
  return (unsigned)(ct_random(&writer->random) >> 33) % bound;
}

static void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct writer *writer, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int added = vsnprintf(writer->text + writer->length, RANDOM_TEXT - writer->length, format, list);
  va_end(list);
  if (added > 0)
    writer->length += (size_t)added;
}

static const char *word(struct writer *writer) {
  static const char *const words[] = {"x", "y", "z"};
  return words[below(writer, 3)];
}

static void arithmetic(struct writer *writer) {
  static const char *const ops[] = {"add.i32", "mul.i32", "xor.b32", "sub.i32", "rotl.b32", "max.u32", "div.u32"};
  /* One draw per statement: C does not define the order in which a call's arguments are evaluated. */
  const char *op = ops[below(writer, 7)], *d = word(writer), *a = word(writer), *b = word(writer);
  put(writer, " %s %s, %s, %s\n", op, d, a, b);
}

static void touch(struct writer *writer) {
  const char *of = word(writer), *with = word(writer), *old = word(writer);
  switch (below(writer, 7)) {
  case 6:
    put(writer, " and.b32 n, %s, 16383\n shl.b32 n, n, 4\n prefetch [p + n], 4096\n", of);
    break;
  case 0:
    put(writer, " and.b32 n, %s, 1023\n shl.b32 n, n, 2\n ld.lds.b32 %s, [t + n]\n", of, with);
    break;
  case 1:
    put(writer, " and.b32 n, %s, 1023\n shl.b32 n, n, 2\n st.lds.b32 [t + n], %s\n", of, with);
    break;
  case 2:
    put(writer, " and.b32 n, %s, 16383\n shl.b32 n, n, 2\n ld.global.b32 %s, [p + n]\n", of, with);
    break;
  case 3:
    put(writer, " and.b32 n, %s, 255\n shl.b32 n, n, 2\n st.global.b32 [q + n], %s\n", of, with);
    break;
  case 4:
    put(writer, " and.b32 n, %s, 63\n shl.b32 n, n, 2\n atom.global.add.i32 %s, [q + n], %s\n", of, old, with);
    break;
  default:
    put(writer, " and.b32 n, %s, 63\n shl.b32 n, n, 2\n atom.lds.add.i32 %s, [t + n], %s\n", of, old, with);
  }
}

/* A work-item's own word of the LDS is at 4 times its local id; its own word of global memory is after the first 64
 * KiB. */
static void touch_own(struct writer *writer) {
  const char *of = word(writer), *with = word(writer);
  switch (below(writer, 7)) {
  case 0:
    put(writer, " get.local_id n, x\n shl.b32 n, n, 2\n ld.lds.b32 %s, [t + n]\n", with);
    break;
  case 1:
    put(writer, " get.local_id n, x\n shl.b32 n, n, 2\n st.lds.b32 [t + n], %s\n", with);
    break;
  case 2:
    put(writer, " and.b32 n, %s, 16383\n shl.b32 n, n, 2\n ld.global.b32 %s, [p + n]\n", of, with);
    break;
  case 3:
    put(writer, " get.global_id n, x\n shl.b32 n, n, 2\n st.global.b32 [q + n + 65536], %s\n", with);
    break;
  case 4:
    put(writer, " get.global_id n, x\n shl.b32 n, n, 2\n ld.global.b32 %s, [q + n + 65536]\n", with);
    break;
  case 5:
    put(writer, " and.b32 n, %s, 63\n shl.b32 n, n, 2\n atom.global.add.i32 _, [q + n + 131072], %s\n", of, with);
    break;
  default:
    put(writer, " and.b32 n, %s, 16383\n shl.b32 n, n, 4\n prefetch [p + n], 4096\n", of);
  }
}

static void statement(struct writer *writer, unsigned depth);

static void branch(struct writer *writer, unsigned depth) {
  unsigned label = writer->labels++;
  put(writer, " and.b32 n, %s, 3\n setp.eq.u32 c, n, 0\n@c bra else%u\n", word(writer), label);
  statement(writer, depth + 1);
  put(writer, " bra both%u\nelse%u:\n", label, label);
  statement(writer, depth + 1);
  put(writer, "both%u:\n", label);
}

/* Trip counts differ from lane to lane. Each depth has its own counter. */
static void loop(struct writer *writer, unsigned depth) {
  unsigned label = writer->labels++;
  put(writer, " and.b32 k[%u], %s, 3\nloop%u: setp.eq.u32 c, k[%u], 0\n@c bra over%u\n", depth, word(writer), label,
      depth, label);
  statement(writer, depth + 1);
  put(writer, " sub.i32 k[%u], k[%u], 1\n bra loop%u\nover%u:\n", depth, depth, label, label);
}

static void statement(struct writer *writer, unsigned depth) {
  unsigned kind = below(writer, 10);
  if (kind < 4)
    arithmetic(writer);
  else if (kind < 8 || depth >= 3)
    (writer->tame ? touch_own : touch)(writer);
  else if (kind == 8)
    branch(writer, depth);
  else
    loop(writer, depth);
}

/* Executed by the whole work-group. */
static void collective(struct writer *writer) {
  unsigned elements = 1 + below(writer, 900), event = below(writer, 2), few = 1 + below(writer, 100);
  unsigned stride = 1 + below(writer, 40), others = 1 + below(writer, 200);
  static const char *const bars[] = {"bar", "bar.lds", "bar.global", "bar.all"};
  static const char *const fences[] = {"lds", "global", "all"};
  switch (below(writer, 6)) {
  case 4: /* all arrive and continue at any time; the first to get there make the mbarrier, all with the same value */
    put(writer,
        " get.local_size n, x\n bar.lds\n mbarrier.init [t + 8184], n\n bar.lds\n mbarrier.arrive [t + 8184]\n");
    statement(writer, 2);
    put(writer, " mov.b32 n, 0\n mbarrier.try_wait c, [t + 8184], n\n");
    break;
  case 0:
    put(writer, " %s\n", bars[below(writer, 4)]);
    break;
  case 1:
    put(writer, " mov.b32 e[%u], 0\n copy.to_lds e[%u], [%u], [p], %u, size=4\n", event, event, 4 * few, elements);
    statement(writer, 2);
    put(writer, " wait e[%u]\n", event);
    break;
  case 2:
    put(writer, " mov.b32 e[%u], 0\n copy.to_global e[%u], [q], [t], %u, size=4\n", event, event, elements);
    statement(writer, 2);
    put(writer, " wait e[%u]\n", event);
    break;
  case 3: {
    const char *first = fences[below(writer, 3)], *second = fences[below(writer, 3)];
    put(writer,
        " mov.b32 e[0], 0\n copy.to_lds e[0], [t], [p], %u, size=2\n copy.fence.%s\n"
        " copy.to_global e[0], [q], [t + 2], %u, size=2\n copy.fence.%s\n",
        elements, first, elements, second);
    statement(writer, 2);
    put(writer, " copy.to_lds e[0], [t], [q], %u, size=4\n wait e[0]\n", few);
    break;
  }
  default:
    put(writer,
        " mov.b32 e[0], 0\n mov.b32 e[1], 0\n copy.to_lds.strided e[0], [t], [p], %u, %u, size=4\n"
        " copy.to_lds e[1], [t + 2048], [p], %u, size=4\n wait e[1], e[0]\n",
        few, stride, others);
  }
}

/* Copies write the LDS from 1024 on; from 4096 on it holds the data that copies read. */
static void collective_tame(struct writer *writer) {
  const unsigned elements = 1 + below(writer, 700), few = 1 + below(writer, 100), stride = 1 + below(writer, 40);
  const char *with = word(writer);
  switch (below(writer, 4)) {
  case 0:
    put(writer, " bar.all\n");
    break;
  case 1:
    put(writer, " bar.lds\n mov.b32 e[0], 0\n copy.to_lds e[0], [t + 1024], [p], %u, size=4\n", elements);
    statement(writer, 2);
    put(writer, " wait e[0]\n get.local_id n, x\n rem.u32 n, n, %u\n shl.b32 n, n, 2\n ld.lds.b32 %s, [n + 1024]\n",
        elements, with);
    break;
  case 2:
    put(writer, " mov.b32 e[1], 0\n copy.to_global e[1], [q], [t + 4096], %u, size=4\n", elements);
    statement(writer, 2);
    put(writer, " wait e[1]\n");
    break;
  default:
    put(writer,
        " bar.lds\n mov.b32 e[0], 0\n mov.b32 e[1], 0\n"
        " copy.to_lds.strided e[0], [t + 1024], [p], %u, %u, size=4\n"
        " copy.to_lds e[1], [t + 2048], [p], %u, size=2\n wait e[1], e[0]\n ld.lds.b32 %s, [t + 1024]\n",
        few, stride, elements, with);
  }
}

static void kernel_of(struct writer *writer, const char *name) {
  put(writer, ".kernel %s\n", name);
  put(writer, ".arg a global\n.arg b global\n.lds t 8192\n.reg x, y, z, n, e[2], k[4]\n.reg64 p, q\n.pred c\n"
              " ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.global_id x, x\n get.local_id y, x\n get.group_id z, x\n");
  if (writer->tame)
    put(writer, " shl.b32 n, y, 2\n st.lds.b32 [t + n], x\n shl.b32 n, x, 2\n st.global.b32 [q + n + 65536], y\n");
  for (unsigned i = 4 + below(writer, 12); i > 0; i--)
    if (below(writer, 4))
      statement(writer, 0);
    else
      (writer->tame ? collective_tame : collective)(writer);
  if (writer->tame)
    put(writer, " get.global_id n, x\n shl.b32 n, n, 2\n st.global.b32 [q + n + 65536], x\n exit\n");
  else
    put(writer,
        " get.global_id n, x\n and.b32 n, n, 4095\n shl.b32 n, n, 2\n st.global.b32 [q + n + 4096], x\n exit\n");
}

/* Each appends a kernel to the text. */
static inline void random_kernel(char *text, const char *name, uint64_t seed) {
  struct writer writer = {.text = text, .length = strlen(text), .random = seed * 7919 + 1};
  kernel_of(&writer, name);
}

static inline void tame_kernel(char *text, const char *name, uint64_t seed) {
  struct writer writer = {.text = text, .length = strlen(text), .random = seed * 104729 + 5, .tame = true};
  kernel_of(&writer, name);
}

/* Machines that differ in everything that could matter. */
static const char *const machines[] = {
    "",
    "cu.count=3 mem.link_latency=1 cu.dispatch_latency=1",
    "cu.count=4 cu.warp_size=16 cu.schedulers=2 cu.policy=greedy_oldest dma.engines=2",
    "cu.count=2 cu.warp_size=64 cu.policy=oldest lds.phases=cdna3 dma.channels=1 dma.queue=1",
    "cu.count=5 cu.schedulers=4 lds.dma_port=separate dma.granularity=16 dma.outstanding=3",
    "cu.count=2 mem.l2_size=4K mem.l2_ways=2 mem.dram_width=8 lds.priority=dma lds.queue=1",
    "cu.count=3 cu.accesses=2 dma.arbitration=oldest dma.burst=64 dma.setup=0 dma.completion=0 lds.banks=16",
    ("cu.count=7 cu.groups=2 mem.link_latency=3 lds.priority=warps cu.int_interval=2 dma.write_width=4 dma.queue=1 "
     "dma.channels=1 dma.full=retry"),
    "cu.count=5 dma.cus=2 dma.engines=2 dma.queue=2 dma.channels=3 dma.arbitration=oldest mem.link_latency=4",
    "cu.count=3 dma.copy=lanes cu.schedulers=2 lds.queue=2 dma.lane_bytes=8",
    "cu.count=4 dma.copy=blocking cu.accesses=3 mem.link_latency=2 cu.copy_overhead=2",
    "cu.count=3 cu.meet=barriers cu.schedulers=2 dma.queue=1 dma.channels=2 cu.wait_latency=9",
    ("cu.count=2 cu.barrier_blocks=accesses cu.barrier_interval=2 cu.schedulers=4 cu.policy=greedy_fair "
     "cu.forward_latency=1 cu.dispatch_rate=70 cu.divergence_latency=9"),
    "cu.count=2 cu.schedulers=4 cu.phase_interval=18 cu.phase_latency=3 cu.phase_turn=5 cu.phase_wake_interval=2 "
    "lds.interleave=2 cu.local_fence=order",
    ("cu.count=5 dma.lines=separate dma.train=16 dma.cut=both dma.sector=32 dma.outstanding=1024 dma.buffer=256 "
     "dma.granularity=128 mem.clusters=2 mem.cluster_width=40 mem.link_width=24 mem.l2_spread=60 "
     "dma.arbitration=oldest"),
    "cu.count=2 mem.l1_size=8K cu.policy=greedy_fair texture.layout=blocks",
    "cu.count=3 mem.l1_size=1792 mem.l1_ways=2 mem.l1_hash=xor mem.l1_join=on cu.line_interval=1 mem.l1_tags=2 "
    "mem.l1_banks=lds "
    "cu.schedulers=4",
    ("cu.count=2 dma.dimensions=1 dma.decoupling=off dma.quota=2 dma.arbitration=quota dma.misaligned=split "
     "dma.alignment=16"),
    ("cu.count=2 cu.schedulers=4 dma.copy=blocking dma.lane_bytes=4 cu.accesses=4 cu.global_interval=100 "
     "mem.link_latency=300"),
    "cu.count=2 cu.forward_latency=100 cu.guard_latency=90 cu.dispatch_latency=1 mem.link_latency=1",
    "cu.count=5 cu.dispatch_latency=120 mem.fill_latency=50 mem.link_latency=8 dma.engines=2 dma.outstanding=4 "
    "texture.layout=blocks",
    ("cu.count=4 cu.dispatch_latency=120 mem.fill_latency=50 mem.link_latency=5 mem.l1_size=8K dma.copy=blocking "
     "cu.accesses=2"),
    "cu.count=3 cu.dispatch_latency=120 cu.accesses=1 mem.link_latency=2 dma.outstanding=1 mem.l2_width=16",
};
enum { MACHINES = sizeof machines / sizeof *machines };

#endif
