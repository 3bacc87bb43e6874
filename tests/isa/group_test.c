/* Queries, operations across lanes, and operations of a whole work-group. */
#include "isa/asm/asm.h"
#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"
#include "tests/isa/oracle.h"
#include "tests/isa/rig.h"

#include <stdio.h>
#include <string.h>

CT_FREES(struct isa_program, isa_program_free)

/* ---- queries -------------------------------------------------------------------------------------- */

static const uint32_t global[3] = {10, 7, 5}, local[3] = {4, 3, 2}, offset[3] = {100, 200, 300};

/* The value of a query in `lane` of work-group `linear`, by the definition of an NDRange. */
static uint32_t query_oracle(const char *name, uint32_t axis, uint32_t linear, uint32_t warp, uint32_t lane) {
  const uint32_t groups[3] = {3, 3, 3}; /* 10/4, 7/3, 5/2, rounded up */
  const uint32_t id[3] = {linear % 3, linear / 3 % 3, linear / 9};
  uint32_t size[3], items = 1;
  for (int i = 0; i < 3; i++) {
    size[i] = id[i] == 2 ? global[i] - 2 * local[i] : local[i];
    items *= size[i];
  }
  const uint32_t item = warp * 16 + lane;
  const uint32_t at[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
  const uint32_t place[3] = {id[0] * 4 + at[0], id[1] * 3 + at[1], id[2] * 2 + at[2]};
  const struct {
    const char *name;
    uint32_t value;
  } table[] = {
      {"get.local_id", at[axis]},
      {"get.global_id", offset[axis] + place[axis]},
      {"get.group_id", id[axis]},
      {"get.local_size", size[axis]},
      {"get.enqueued_local_size", local[axis]},
      {"get.global_size", global[axis]},
      {"get.num_groups", groups[axis]},
      {"get.global_offset", offset[axis]},
      {"get.work_dim", 3},
      {"get.local_linear_id", item},
      {"get.global_linear_id", (place[2] * 7 + place[1]) * 10 + place[0]},
      {"get.lane", lane},
      {"get.warp", warp},
      {"get.num_warps", (items + 15) / 16},
      {"get.warp_size", items - warp * 16 < 16 ? items - warp * 16 : 16},
      {"get.max_warp_size", 16},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(table[i].name, name) == 0)
      return table[i].value;
  ct_true(false, "a query that the oracle does not know", __FILE__, __LINE__);
  return 0;
}

TEST(group, every_query_is_correct_in_every_group_of_a_ragged_ndrange_with_offsets) {
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const bool axes = isa_rows[op].format == FORMAT_QUERY_AXIS;
    if (!axes && isa_rows[op].format != FORMAT_QUERY)
      continue;
    for (uint32_t axis = 0; axis < (axes ? 3u : 1u); axis++)
      for (uint32_t linear = 0; linear < 27; linear++) {
        char source[128];
        ct_freed(rig_close) struct rig rig;
        snprintf(source, sizeof source, ".kernel k\n%s r0%s%.1s\nexit\n", isa_rows[op].mnemonic, axes ? ", " : "",
                 axes ? &"xyz"[axis] : "");
        ct_note("%s, axis %u, group %u", isa_rows[op].mnemonic, axis, linear);
        ASSERT_TRUE(rig_open_range(&rig, source, 3, global, local, offset, linear, 16));
        EXPECT_TRUE(rig_run(&rig, 100));
        for (uint32_t item = 0; item < rig.group.items; item++)
          EXPECT_EQ(rig_reg(&rig, 0, item), query_oracle(isa_rows[op].mnemonic, axis, linear, item / 16, item % 16));
      }
  }
}

TEST(group, the_clock_is_the_given_value_in_all_lanes) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, ".kernel k\nget.clock r0\nget.clock r2\nexit\n", 7, 32));
  rig.warp[0].clock = UINT64_C(0x123456789);
  rig_step(&rig, 0);
  rig.warp[0].clock++;
  rig_step(&rig, 0);
  for (uint32_t item = 0; item < 7; item++) {
    EXPECT_EQ(rig_pair(&rig, 0, item), UINT64_C(0x123456789));
    EXPECT_EQ(rig_pair(&rig, 2, item), UINT64_C(0x12345678a));
  }
}

TEST(group, the_last_warp_has_the_remaining_lanes) {
  struct rig rig;
  ASSERT_TRUE(rig_open(&rig, ".kernel k\nexit\n", 70, 32));
  EXPECT_EQ(rig.group.warps, 3);
  EXPECT_EQ(rig.warp[1].all, UINT32_MAX);
  EXPECT_EQ(rig.warp[2].all, 63);
  EXPECT_EQ(rig.warp[2].live, 63);
  rig_close(&rig);
  ASSERT_TRUE(rig_open(&rig, ".kernel k\nexit\n", 64, 64));
  EXPECT_EQ(rig.warp[0].all, UINT64_MAX);
  rig_close(&rig);
}

/* ---- across lanes ---------------------------------------------------------------------------------- */

enum { LANES = 32 };

/* Operand a is r2 (or p1), b is r4, the result r0 (or p0); the lanes of `mask` take part. */
static void run_lane_op(struct rig *rig, enum isa_op op, uint64_t mask) {
  const struct isa_row *row = &isa_rows[op];
  rig->program->code[0] = (struct isa_inst){.op = (uint16_t)op, .d = 0, .a = 255, .b = 255, .c = 255};
  if (row->a != TYPE_NONE)
    rig->program->code[0].a = row->a == TYPE_PRED ? 1 : 2;
  if (row->b != TYPE_NONE)
    rig->program->code[0].b = 4;
  rig->warp[0].pc = 0;
  rig->warp[0].active = mask;
  rig_step(rig, 0);
}

TEST(group, shuffles_read_active_lanes_and_otherwise_keep_their_own_value) {
  uint64_t seed = 3;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    if (isa_rows[op].format != FORMAT_SHUFFLE)
      continue;
    for (int round = 0; round < 20; round++) {
      ct_freed(rig_close) struct rig rig;
      ASSERT_TRUE(rig_open(&rig, ".kernel k\n.registers 8\nmov.b32 r0, 0\nexit\n", LANES, LANES));
      const uint64_t mask = round ? ct_random(&seed) >> 32 | 2 : UINT32_MAX;
      uint32_t b[LANES];
      for (uint32_t lane = 0; lane < LANES; lane++) {
        rig.warp[0].reg[2 * LANES + lane] = 1000 + lane;
        rig.warp[0].reg[4 * LANES + lane] = b[lane] = (uint32_t)ct_random(&seed) % 40;
      }
      run_lane_op(&rig, op, mask);
      ct_note("%s, mask %#llx", isa_rows[op].mnemonic, (unsigned long long)mask);
      for (int64_t lane = 0; lane < LANES; lane++) {
        const int64_t from = op == ISA_SHFL_IDX    ? b[lane]
                             : op == ISA_SHFL_UP   ? lane - b[lane]
                             : op == ISA_SHFL_DOWN ? lane + b[lane]
                             : op == ISA_SHFL_XOR  ? lane ^ b[lane]
                                                   : __builtin_ctzll(mask);
        const bool there = from >= 0 && from < LANES && mask >> from & 1;
        const int64_t expected = !(mask >> lane & 1) ? 0 : 1000 + (there ? from : lane);
        EXPECT_EQ(rig_reg(&rig, 0, (uint32_t)lane), expected);
      }
    }
  }
}

TEST(group, votes_count_only_active_lanes) {
  uint64_t seed = 4;
  unsigned checked = 0;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    if (isa_rows[op].format != FORMAT_VOTE)
      continue;
    checked++;
    for (int round = 0; round < 20; round++) {
      ct_freed(rig_close) struct rig rig;
      ASSERT_TRUE(rig_open(&rig, ".kernel k\n.registers 8\nmov.b32 r0, 0\nexit\n", LANES, LANES));
      const uint64_t mask = (ct_random(&seed) & UINT32_MAX) | 4, random = ct_random(&seed);
      const uint64_t holds = round % 4 == 0 ? UINT64_MAX : round % 4 == 1 ? ~mask : random;
      rig.warp[0].pred[1] = holds;
      run_lane_op(&rig, op, mask);
      ct_note("%s, mask %#llx, %#llx", isa_rows[op].mnemonic, (unsigned long long)mask, (unsigned long long)holds);
      const uint64_t votes = holds & mask;
      const uint64_t all_or_none = op == ISA_VOTE_ANY    ? votes != 0
                                   : op == ISA_VOTE_ALL  ? votes == mask
                                   : op == ISA_VOTE_NONE ? !votes
                                                         : !votes || votes == mask;
      for (uint32_t lane = 0; lane < LANES; lane++) {
        const bool on = mask >> lane & 1;
        if (op == ISA_BALLOT)
          EXPECT_EQ(rig_pair(&rig, 0, lane), on ? votes : 0);
        else if (op == ISA_BALLOT_32)
          EXPECT_EQ((uint32_t)rig_pair(&rig, 0, lane), on ? (uint32_t)votes : 0);
        else if (op == ISA_ELECT)
          EXPECT_EQ(rig_pred(&rig, 0, lane), lane == (uint32_t)__builtin_ctzll(mask));
        else
          EXPECT_EQ(rig_pred(&rig, 0, lane), on && all_or_none);
      }
    }
  }
  EXPECT_EQ(checked, 7);
}

/* Combines x and a with the operation after "reduce.", "scan." or "scan.before.". */
static uint64_t combine(const struct isa_row *row, uint64_t x, uint64_t a) {
  static const char *const before[] = {"reduce.", "scan.before.", "scan."};
  for (size_t i = 0; i < 3; i++)
    if (strncmp(row->mnemonic, before[i], strlen(before[i])) == 0)
      return oracle_named(row->mnemonic + strlen(before[i]), x, a);
  return 0;
}

/* The written form of a value: any NaN becomes the standard NaN of its width. */
static uint64_t written(enum isa_type type, uint64_t bits) {
  const uint64_t infinity = type == TYPE_F16   ? 0x7c00
                            : type == TYPE_F32 ? 0x7f800000
                            : type == TYPE_F64 ? UINT64_C(0x7ff0000000000000)
                                               : UINT64_MAX;
  const uint64_t top = type == TYPE_F16 ? 0x8000 : type == TYPE_F32 ? 0x80000000 : UINT64_C(1) << 63;
  return infinity != UINT64_MAX && (bits & ~top) > infinity ? infinity | infinity >> 1 : bits;
}

TEST(group, reductions_and_scans_combine_active_lanes_in_lane_order) {
  uint64_t seed = 6;
  unsigned checked = 0;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    if (row->format != FORMAT_REDUCE && row->format != FORMAT_SCAN && row->format != FORMAT_SCAN_BEFORE)
      continue;
    checked++;
    for (int round = 0; round < 10; round++) {
      ct_freed(rig_close) struct rig rig;
      ASSERT_TRUE(rig_open(&rig, ".kernel k\n.registers 8\nmov.b32 r0, 0\nexit\n", LANES, LANES));
      const uint64_t mask = round ? (ct_random(&seed) & UINT32_MAX) | 16 : UINT32_MAX;
      const bool wide = isa_types[row->d].registers == 2;
      uint64_t a[LANES], b[LANES], expected[LANES] = {0}, x = 0;
      for (uint32_t lane = 0; lane < LANES; lane++) {
        a[lane] = oracle_value(row->d, &seed);
        b[lane] = oracle_value(row->d, &seed);
        for (uint32_t word = 0; word < 1u + wide; word++) {
          rig.warp[0].reg[(2 + word) * LANES + lane] = (uint32_t)(a[lane] >> 32 * word);
          rig.warp[0].reg[(4 + word) * LANES + lane] = (uint32_t)(b[lane] >> 32 * word);
        }
      }
      bool begun = false;
      for (uint32_t lane = 0; lane < LANES; lane++) {
        if (!(mask >> lane & 1))
          continue;
        if (row->format == FORMAT_SCAN_BEFORE) {
          x = begun ? x : b[lane];
          expected[lane] = x;
          x = combine(row, x, a[lane]);
        } else {
          x = begun ? combine(row, x, a[lane]) : a[lane];
          expected[lane] = x;
        }
        begun = true;
      }
      run_lane_op(&rig, op, mask);
      ct_note("%s, mask %#llx", row->mnemonic, (unsigned long long)mask);
      for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t bits = !(mask >> lane & 1)            ? 0
                              : row->format == FORMAT_REDUCE ? x
                                                             : expected[lane],
                       wanted = written(row->d, bits);
        EXPECT_EQ(wide ? rig_pair(&rig, 0, lane) : rig_reg(&rig, 0, lane), wanted);
      }
    }
  }
  EXPECT_EQ(checked, 90);
}

/* ---- copies, waits, barriers ------------------------------------------------------------------------ */

#define COPY_HEAD                                                                                                      \
  ".kernel k\n.arg a global\n.arg b global\n.lds pad 64\n.lds tile 1024\n.reg e, f, n, s, at, lane\n.reg64 p\n"        \
  ".pred t\nget.lane lane\nld.arg.b64 p, a\nmov.b32 n, 10\nmov.b32 s, 3\nmov.b32 at, tile + 4\n"
enum { HEAD_STEPS = 5 };

static bool open_at_copy(struct rig *rig, const char *source, uint32_t extra) {
  if (!rig_open(rig, source, 32, 32))
    return false;
  for (uint32_t i = 0; i < HEAD_STEPS + extra; i++)
    rig_step(rig, 0);
  return true;
}

static void expect_copy(const struct isa_copy *copy, bool to_lds, uint32_t lds, uint32_t elements, uint32_t bytes,
                        uint32_t stride, uint32_t event_in, uint32_t event) {
  const bool strided = copy->form == ISA_COPY_STRIDED;
  EXPECT_EQ(copy->to_lds, to_lds);
  EXPECT_EQ(copy->global.base, ISA_GLOBAL_BASE);
  EXPECT_EQ(copy->lds.base, lds);
  EXPECT_EQ(strided ? copy->global.lines : copy->global.bytes / bytes, elements);
  EXPECT_EQ(copy->global.bytes, bytes * (strided ? 1 : (uint64_t)elements));
  EXPECT_EQ(copy->global.planes, 1);
  EXPECT_EQ(copy->element_bytes, bytes);
  EXPECT_EQ(copy->global.pitch, (uint64_t)stride * bytes);
  EXPECT_EQ(copy->lds.pitch, bytes);
  EXPECT_EQ(copy->lds.bytes, copy->global.bytes);
  EXPECT_EQ(copy->lds.lines, copy->global.lines);
  EXPECT_EQ(copy->lds.planes, 1);
  EXPECT_EQ(copy->event_in, event_in);
  EXPECT_EQ(copy->event, event);
}

TEST(group, copies_take_operands_from_registers_or_immediates) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(open_at_copy(&rig,
                           COPY_HEAD "copy.to_lds e, [tile], [p], n, size=4\n"
                                     "copy.to_lds.strided f, [at], [p], 7, s, size=128\n"
                                     "copy.to_global e, [p], [at], 2000000, size=1\n"
                                     "copy.to_global.strided e, [p], [tile], n, 65535, size=16\n"
                                     "wait e, f\nexit\n",
                           1));
  expect_copy(&rig.last.copy, true, 64, 10, 4, 1, 0, 1);
  EXPECT_EQ(rig_reg(&rig, 0, 31), 1);
  rig_step(&rig, 0);
  expect_copy(&rig.last.copy, true, 68, 7, 128, 3, 0, 2);
  EXPECT_EQ(rig_reg(&rig, 1, 0), 2);
  rig_step(&rig, 0);
  expect_copy(&rig.last.copy, false, 68, 2000000, 1, 1, 1, 1); /* joins the first event */
  rig_step(&rig, 0);
  expect_copy(&rig.last.copy, false, 64, 10, 16, 65535, 1, 1);
  rig_step(&rig, 0);
  EXPECT_EQ(rig.last.wait.count, 2);
  EXPECT_EQ(rig.last.wait.event[0], 1);
  EXPECT_EQ(rig.last.wait.event[1], 2);
  EXPECT_EQ(rig.warp[0].events, 2);
  EXPECT_EQ(rig.hazards, 0);
}

#define NAMED_2D "size=b, lines=l, global_line=gp, lds_line=lp"
#define NAMED_3D NAMED_2D ", planes=q, global_plane=ga, lds_plane=la"
#define LINES_HEAD                                                                                                     \
  ".kernel k\n.arg a global\n.lds tile 1024\n.reg e, n, at, lane, b, l, gp, lp, q, ga, la\n.reg64 p\n.pred t\n"        \
  "get.lane lane\nld.arg.b64 p, a\nmov.b32 n, 10\nmov.b32 at, 32\nmov.b32 b, 12\nmov.b32 l, 3\nmov.b32 gp, 4\n"        \
  "mov.b32 lp, 5\nmov.b32 q, 6\nmov.b32 ga, 7\nmov.b32 la, 8\n"
enum { LINES_STEPS = 11 };

struct lines {
  enum isa_copy_form form;
  bool to_lds;
  uint32_t planes, global_plane, lds_plane;
};

static void expect_lines(const char *body, const struct lines *expected) {
  ct_freed(rig_close) struct rig rig;
  char source[1024];
  snprintf(source, sizeof source, LINES_HEAD "%s\nexit\n", body);
  ct_note("%s", body);
  ASSERT_TRUE(rig_open(&rig, source, 32, 32));
  for (int i = 0; i < LINES_STEPS + 1; i++)
    rig_step(&rig, 0);
  const struct isa_copy *copy = &rig.last.copy;
  uint64_t field[COPY_FIELDS];
  isa_copy_fields(copy, field);
  EXPECT_EQ(copy->form, expected->form);
  EXPECT_EQ(copy->to_lds, expected->to_lds);
  EXPECT_EQ(copy->global.base, ISA_GLOBAL_BASE);
  EXPECT_EQ(copy->lds.base, 32);
  EXPECT_EQ(copy->global.bytes, 120);
  EXPECT_EQ(field[COPY_ELEMENT_BYTES], 12);
  EXPECT_EQ(field[COPY_ELEMENTS], 10);
  EXPECT_EQ(field[COPY_LINES], 3);
  EXPECT_EQ(field[COPY_PLANES], expected->planes);
  EXPECT_EQ(field[COPY_GLOBAL_LINE], 4);
  EXPECT_EQ(field[COPY_LDS_LINE], 5);
  EXPECT_EQ(field[COPY_GLOBAL_PLANE], expected->global_plane);
  EXPECT_EQ(field[COPY_LDS_PLANE], expected->lds_plane);
  EXPECT_EQ(field[COPY_EVENT_IN], 0);
  EXPECT_EQ(field[COPY_EVENT], 1);
  EXPECT_EQ(rig_reg(&rig, 0, 31), 1);
  EXPECT_EQ(rig.hazards, 0);
}

TEST(group, copies_of_lines_and_planes_take_all_other_operands_by_name) {
  const struct lines flat = {.form = ISA_COPY_2D, .planes = 1};
  const struct lines deep = {.form = ISA_COPY_3D, .planes = 6, .global_plane = 7, .lds_plane = 8};
  struct lines flat_in = flat, deep_in = deep;
  flat_in.to_lds = deep_in.to_lds = true;
  expect_lines("copy.to_lds.2d e, [at], [p], n, " NAMED_2D, &flat_in);
  expect_lines("copy.to_global.2d e, [p], [at], n, " NAMED_2D, &flat);
  expect_lines("copy.to_lds.3d e, [at], [p], n, " NAMED_3D, &deep_in);
  expect_lines("copy.to_global.3d e, [p], [at], n, " NAMED_3D, &deep);
  expect_lines("copy.to_lds.2d e, [at], [p], n, lds_line=lp, global_line=gp, lines=l, size=b", &flat_in);
}

/* A trace keeps the fields of copies of nothing, too, and may hold any numbers. */
TEST(group, a_copy_and_its_fields_are_the_same) {
  uint64_t random = 3;
  for (unsigned i = 0; i < 1000; i++) {
    uint64_t field[COPY_FIELDS], again[COPY_FIELDS];
    for (unsigned f = 0; f < COPY_FIELDS; f++)
      field[f] = (uint32_t)ct_random(&random) >> (i % 31);
    field[COPY_FORM] %= ISA_COPY_FORMS;
    field[COPY_TO_LDS] %= 2;
    field[COPY_ELEMENT_BYTES] = i % 3 ? field[COPY_ELEMENT_BYTES] : 0;
    field[COPY_GLOBAL] <<= 20;
    const struct isa_copy copy = isa_copy_of(field);
    isa_copy_fields(&copy, again);
    for (unsigned f = 0; f < COPY_FIELDS; f++) {
      ct_note("field %u", f);
      EXPECT_EQ(again[f], field[f]);
      field[f] ^= 1;
      const struct isa_copy other = isa_copy_of(field);
      EXPECT_EQ(isa_same_copy(&copy, &other), f == COPY_EVENT);
      field[f] ^= 1;
    }
  }
}

TEST(group, a_wait_names_up_to_eight_events_in_order) {
  struct rig rig;
  ASSERT_TRUE(
      rig_open(&rig, ".kernel k\nmov.b32 r7, 70\nmov.b32 r1, 10\nwait r7, r1, r2, r3, r4, r5, r6, r1\nexit\n", 32, 32));
  for (int i = 0; i < 3; i++)
    rig_step(&rig, 0);
  EXPECT_EQ(rig.last.wait.count, 8);
  EXPECT_EQ(rig.last.wait.event[0], 70);
  EXPECT_EQ(rig.last.wait.event[7], 10);
  rig_close(&rig);
}

TEST(group, a_wait_for_the_first_events_of_its_list_ignores_the_others) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig,
                       ".kernel k\nmov.b32 r0, 2\nmov.b32 r1, 10\nmov.b32 r2, 20\nget.lane r3\n"
                       "wait.first r0, r1, r2, r3\nmov.b32 r0, 0\nwait.first r0, r3\nwait.more r2, r1\nexit\n",
                       32, 32));
  for (int i = 0; i < 5; i++)
    rig_step(&rig, 0);
  EXPECT_EQ(rig.last.wait.count, 2);
  EXPECT_EQ(rig.last.wait.event[1], 20);
  EXPECT_FALSE(rig.last.wait.more);
  rig_step(&rig, 0);
  rig_step(&rig, 0);
  EXPECT_EQ(rig.last.wait.count, 0);
  rig_step(&rig, 0);
  EXPECT_EQ(rig.last.wait.count, 2);
  EXPECT_TRUE(rig.last.wait.more);
  EXPECT_EQ(rig.hazards, 0);
}

static void expect_report(const char *body, uint32_t steps, enum isa_hazard_rule rule, uint32_t item,
                          const char *detail) {
  ct_freed(rig_close) struct rig rig;
  char source[1024];
  snprintf(source, sizeof source, COPY_HEAD "%s\nexit\n", body);
  ct_note("%s", body);
  ASSERT_TRUE(open_at_copy(&rig, source, steps));
  EXPECT_EQ(rig.hazards, 1);
  EXPECT_EQ(rig.hazard[0].rule, rule);
  EXPECT_EQ(rig.hazard[0].item, item);
  EXPECT_EQ(rig.hazard[0].pc, HEAD_STEPS + steps - 1);
  EXPECT_STREQ(rig.hazard[0].detail, detail);
}

TEST(group, lanes_that_disagree_are_reported_once) {
  expect_report("copy.to_lds e, [lane], [p], lane, size=4", 1, HAZARD_G1, 1,
                "the LDS offset is 0 in lane 0 but 1 in lane 1");
  expect_report("copy.to_lds e, [tile], [p], lane, size=4", 1, HAZARD_G1, 1,
                "the element count is 0 in lane 0 but 1 in lane 1");
  expect_report("copy.to_lds.strided e, [tile], [p], n, lane, size=4", 1, HAZARD_G1, 1,
                "the stride is 0 in lane 0 but 1 in lane 1");
  expect_report("mov.b32 p.lo, lane\ncopy.to_lds e, [tile], [p], n, size=4", 2, HAZARD_G1, 1,
                "the global address (low half) is 0 in lane 0 but 1 in lane 1");
  expect_report("add.i32 e, lane, 1\ncopy.to_lds e, [tile], [p], n, size=4", 2, HAZARD_G1, 1,
                "the event is 1 in lane 0 but 2 in lane 1");
  expect_report("wait e, lane", 1, HAZARD_G1, 1, "event 2 of the wait is 0 in lane 0 but 1 in lane 1");
  expect_report("wait.first lane, e", 1, HAZARD_G1, 1, "the number of events is 0 in lane 0 but 1 in lane 1");
  expect_report("copy.to_lds.2d e, [at], [p], n, size=s, lines=lane, global_line=s, lds_line=s", 1, HAZARD_G1, 1,
                "lines= is 0 in lane 0 but 1 in lane 1");
}

TEST(group, a_wait_for_too_many_or_a_negative_number_of_events_is_reported) {
  expect_report("wait.first n, e", 1, HAZARD_X13, 0, "10 events of a list of 1");
  expect_report("mov.b32 f, -1\nwait.first f, e", 2, HAZARD_X13, 0, "-1 events of a list of 1");
}

TEST(group, missing_lanes_are_reported_with_the_rule_for_the_call) {
  const char *missing = "only 24 of 32 lanes of warp 0 are active";
  static const struct {
    const char *text;
    enum isa_hazard_rule rule, in_loop;
  } calls[] = {{"copy.to_lds e, [tile], [p], n, size=4", HAZARD_G2, HAZARD_G3},
               {"wait e", HAZARD_G2, HAZARD_G3},
               {"wait.more e", HAZARD_G2, HAZARD_G3},
               {"wait.first s, e, e, e", HAZARD_G2, HAZARD_G3},
               {"bar", HAZARD_M8, HAZARD_M8},
               {"bar.lds", HAZARD_M8, HAZARD_M8},
               {"bar.all", HAZARD_M8, HAZARD_M8},
               {"bar.group", HAZARD_M8, HAZARD_M8},
               {"copy.fence.lds", HAZARD_N3, HAZARD_N3},
               {"copy.fence.all", HAZARD_N3, HAZARD_N3},
               {"bar.pipe [p], p", HAZARD_R10, HAZARD_R10}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char body[128];
    snprintf(body, sizeof body, "setp.ge.u32 t, lane, 8\n@t %s", calls[i].text);
    expect_report(body, 2, calls[i].rule, 0, missing);
    snprintf(body, sizeof body, "setp.ge.u32 t, lane, 24\n@t exit\n%s", calls[i].text);
    expect_report(body, 3, calls[i].rule, 24, missing);
    snprintf(body, sizeof body, "setp.ge.u32 t, lane, 8\nagain: @t %s\n@t bra again", calls[i].text);
    expect_report(body, 2, calls[i].in_loop, 0, missing);
  }
}

/* Whether the kernel's group calls are in loops, in the order of the text: "y" or "n" for each. */
static void expect_loops(const char *body, const char *loops) {
  struct isa_error error = {""};
  char source[512], found[16] = "";
  snprintf(source, sizeof source, ".kernel first\na: bra a\n.kernel k\n.pred p, q\n%s", body);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "loops", &error);
  ct_note("%s", body);
  EXPECT_STREQ(error.text, "");
  for (uint32_t pc = 1; program && pc < program->count; pc++)
    if (program->info[pc].class_ == ISA_CLASS_BARRIER)
      strcat(found, program->info[pc].in_loop ? "y" : "n");
  EXPECT_STREQ(found, loops);
}

TEST(group, a_call_is_in_a_loop_if_control_flow_can_reach_it_again) {
  expect_loops("bar\na: bar\n@p bra a\nbar\nexit\n", "nyn");
  expect_loops("bar\na: bar\n@p bra a\n@q bra a\nexit\n", "ny");
  expect_loops("a: @p bra b\nbar\nbra a\nb: bar\nexit\n", "yn");
  /* an arm that leaves the loop is not in it, wherever it is; an arm after the loop's end that returns is in it */
  expect_loops("a: @p bra b\nbra c\nb: bar\nbra out\nc: @q bra a\nbar\nout: bar\nexit\n", "nnn");
  expect_loops("a: @p bra b\n@q bra a\nbar\nexit\nb: bar\nbra a\n", "ny");
  /* nested, and two entries */
  expect_loops("a: bar\nb: bar\n@p bra b\nbar\n@q bra a\nbar\nexit\n", "yyyn");
  expect_loops("@p bra b\na: bar\nb: bar\n@q bra a\nexit\n", "yy");
  /* an infinite loop counts; forward branches alone are no loops */
  expect_loops("bar\na: bar\nbra a\n", "ny");
  expect_loops("@p bra a\nbar\na: bar\n@q bra b\nbar\nb: exit\n", "nnn");
}

TEST(group, exited_lanes_are_reported_once_and_inactive_lanes_each_time) {
  expect_report("setp.ge.u32 t, lane, 24\n@t exit\ncopy.to_lds e, [tile], [p], n, size=4\nwait e\nbar\nbar", 3,
                HAZARD_G2, 24, "only 24 of 32 lanes of warp 0 are active");
  static const struct {
    const char *body;
    uint32_t steps, hazards;
  } runs[] = {{"setp.ge.u32 t, lane, 24\n@t exit\nbar\nwait e\nbar", 5, 1},
              {"setp.ge.u32 t, lane, 24\n@t exit\nbar\nsetp.ge.u32 t, lane, 8\n@t bar\nbar", 6, 2},
              {"setp.ge.u32 t, lane, 24\n@t exit\nbar\nsetp.ge.u32 t, lane, 8\n@t exit\nbar", 6, 2},
              {"setp.lt.u32 t, lane, 24\n@t bar\nsetp.lt.u32 t, lane, 24\n@t bar", 4, 2}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ct_freed(rig_close) struct rig rig;
    char source[1024];
    snprintf(source, sizeof source, COPY_HEAD "%s\nexit\n", runs[i].body);
    ct_note("%s", runs[i].body);
    ASSERT_TRUE(open_at_copy(&rig, source, runs[i].steps));
    EXPECT_EQ(rig.hazards, runs[i].hazards);
  }
}

TEST(group, lanes_missing_at_a_copy_need_not_have_its_event) {
  static const struct {
    const char *body;
    uint32_t steps, count, event[2];
  } runs[] = {
      /* the lanes that have the event come before, and after, the others */
      {"setp.lt.u32 t, lane, 8\n@t copy.to_lds e, [tile], [p], n, size=4\nwait e", 3, 1, {1}},
      {"setp.ge.u32 t, lane, 8\n@t copy.to_lds e, [tile], [p], n, size=4\nwait e", 3, 1, {1}},
      /* each arm has its own copy: both are waited for */
      {"setp.ge.u32 t, lane, 8\n@t copy.to_lds e, [tile], [p], n, size=4\n"
       "@!t copy.to_lds e, [tile], [p], n, size=4\nwait e",
       4,
       2,
       {2, 1}},
      {"setp.ge.u32 t, lane, 8\n@t copy.to_lds e, [tile], [p], n, size=4\n"
       "@!t copy.to_lds f, [tile], [p], n, size=4\nwait e, f",
       4,
       2,
       {1, 2}},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ct_freed(rig_close) struct rig rig;
    char source[1024];
    snprintf(source, sizeof source, COPY_HEAD "mov.b32 f, 0\n%s\nexit\n", runs[i].body);
    ct_note("%s", runs[i].body);
    ASSERT_TRUE(open_at_copy(&rig, source, 1 + runs[i].steps));
    EXPECT_EQ(rig.hazards, runs[i].count);
    for (uint32_t h = 0; h < rig.hazards; h++)
      EXPECT_EQ(rig.hazard[h].rule, HAZARD_G2);
    ASSERT_EQ(rig.last.wait.count, runs[i].count);
    for (uint32_t e = 0; e < runs[i].count; e++)
      EXPECT_EQ(rig.last.wait.event[e], runs[i].event[e]);
  }
}

TEST(group, a_fence_may_diverge_and_an_inactive_warp_reports_nothing) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(open_at_copy(&rig,
                           COPY_HEAD "setp.ge.u32 t, lane, 8\n@t fence.all\nsetp.ge.u32 t, lane, 99\n@t bar\n"
                                     "@t copy.to_lds e, [tile], [p], n, size=4\nexit\n",
                           5));
  EXPECT_EQ(rig.hazards, 0);
  EXPECT_EQ(rig.last.mask, 0);
  EXPECT_EQ(rig.warp[0].events, 0);
  EXPECT_EQ(rig_reg(&rig, 0, 0), 0);
}
