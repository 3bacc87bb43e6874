#include "tests/traces/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"

void made_kinds(const struct made *made, uint8_t kinds[MADE_PCS]) {
  uint64_t state = made->seed;
  for (uint32_t pc = 0; pc < MADE_PCS; pc++)
    kinds[pc] = pc < TRACE_KINDS ? (uint8_t)pc
                                 : (uint8_t)(ct_random(&state) % 3 ? TRACE_PLAIN : ct_random(&state) % TRACE_KINDS);
}

void made_start(struct made_warp *warp, const struct made *made, const uint8_t *kinds, uint32_t group, uint32_t index) {
  *warp = (struct made_warp){.made = made,
                             .kinds = kinds,
                             .state = made->seed + 1 + (group * UINT64_C(131) + index) * UINT64_C(0x9e3779b97f4a7c15),
                             .left = made->operations};
  warp->op.next = (uint32_t)(ct_random(&warp->state) % 3);
}

static uint64_t all_of(uint32_t lanes) { return lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX; }

/* The regular operation at a pc: fields advance by steps; lanes are a stride apart or in two rows. */
static void regular(struct made_warp *warp) {
  struct trace_op *op = &warp->op;
  const uint32_t lanes = warp->made->lanes;
  op->mask = all_of(lanes);
  for (unsigned i = 0; i < TRACE_FIELDS; i++)
    warp->field[i] = i ? op->pc * 64 + (uint64_t)warp->turn * (i % 3) * 8 : op->kind == TRACE_COPY ? 1 : 0;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    warp->value[0][lane] = 0x100000000 + (uint64_t)op->pc * 4096 + lane * (op->pc % 5) * 4 + (uint64_t)warp->turn * 128;
    warp->value[1][lane] = op->pc % 2 ? lane % 8 * 4 + lane / 8 * 1024 : 16;
  }
}

static uint64_t of_any_length(uint64_t *state) {
  const uint64_t bits = ct_random(state);
  return bits >> ct_random(state) % 64;
}

/* Makes some of mask, fields and lanes arbitrary. */
static void wild(struct made_warp *warp) {
  struct trace_op *op = &warp->op;
  const uint32_t lanes = warp->made->lanes;
  const uint64_t dice = ct_random(&warp->state);
  if (dice & 1)
    op->mask = ct_random(&warp->state) & all_of(lanes);
  if (dice & 2)
    op->mask = dice >> 8 & 1 ? 0 : UINT64_C(1) << dice % lanes;
  if (dice & 4)
    for (unsigned i = 0; i < TRACE_FIELDS; i++)
      warp->field[i] = of_any_length(&warp->state);
  if (dice & 8)
    for (uint32_t lane = 0; lane < lanes; lane++)
      warp->value[dice >> 9 & 1][lane] = of_any_length(&warp->state);
  if (dice & 16)
    op->flags = TRACE_DIVERGED;
  if (dice & 32) {
    for (unsigned i = 0; i < 3; i++)
      warp->note_value[i] = ct_random(&warp->state);
    warp->note = (struct trace_note){(enum trace_note_kind)(dice >> 10 & 1), 3, warp->note_value, "said of it"};
    op->notes = 1;
    op->note = &warp->note;
  }
}

bool made_next(struct made_warp *warp) {
  struct trace_op *op = &warp->op;
  if (!warp->left)
    return false;
  warp->left--;
  op->pc = op->next;
  op->kind = warp->kinds[op->pc];
  op->flags = op->notes = 0;
  regular(warp);
  if (ct_random(&warp->state) % 100 < warp->made->wild)
    wild(warp);
  op->next = op->pc + 1;
  if (op->next == MADE_PCS || (warp->made->wild && ct_random(&warp->state) % 50 == 0)) {
    op->next = op->next == MADE_PCS ? 0 : (uint32_t)(ct_random(&warp->state) % MADE_PCS);
    warp->turn++;
  }
  if (!warp->left)
    op->flags |= TRACE_DONE;
  op->field = warp->field;
  for (unsigned i = 0; i < TRACE_VECTORS; i++)
    op->vector[i] = (struct trace_vector){.offset = warp->value[i]};
  return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

struct resident {
  struct trace_group *group;
  struct made_warp *warps;
  uint32_t left;
};

static void begin(struct resident *resident, struct trace_writer *writer, const struct made *made, const uint8_t *kinds,
                  uint32_t number, uint32_t cu, cycle_t now) {
  resident->group = trace_group_begin(writer, 0, number, made->warps, cu, now);
  resident->left = made->warps;
  for (uint32_t i = 0; i < made->warps; i++) {
    made_start(&resident->warps[i], made, kinds, number, i);
    trace_warp_begin(resident->group, i, resident->warps[i].op.next);
  }
}

/* One cycle of a compute unit: each warp of its groups has an operation. */
static void step(struct resident *resident, const struct made *made, cycle_t now) {
  for (uint32_t i = 0; resident->group && i < made->warps; i++) {
    struct made_warp *warp = &resident->warps[i];
    if (warp->left && made_next(warp)) {
      trace_encode(resident->group, i, now, &warp->op);
      resident->left -= !warp->left;
    }
  }
  if (resident->group && !resident->left) {
    trace_group_end(resident->group, now);
    resident->group = NULL;
  }
}

void made_write(const struct made *made, const char *path, bool backwards) {
  enum { CUS = 2, EACH = 2, RESIDENT = CUS * EACH };
  uint8_t kinds[MADE_PCS];
  struct message error;
  struct trace_writer *writer = trace_writer_open(path, &error);
  if (!EXPECT_TRUE(writer != NULL))
    return;
  made_kinds(made, kinds);
  trace_write_meta(writer, "machine", "of a test", 9);
  trace_write_program(writer, kinds, MADE_PCS);
  trace_write_launch(writer, &(struct trace_launch){0, made->lanes, made->groups, made->warps});
  struct resident resident[RESIDENT] = {0};
  for (unsigned i = 0; i < RESIDENT; i++)
    resident[i].warps = calloc(made->warps, sizeof *resident[i].warps);
  uint32_t next = 0, busy = 1;
  for (cycle_t now = 0; busy; now++) {
    busy = 0;
    for (unsigned i = 0; i < RESIDENT; i++)
      if (!resident[i].group && next < made->groups)
        begin(&resident[i], writer, made, kinds, next++, i / EACH, now);
    for (unsigned i = 0; i < RESIDENT; i++) {
      /* The test chooses the order of compute units; the order of a unit's groups is fixed. */
      const unsigned cu = backwards ? CUS - 1 - i / EACH : i / EACH;
      step(&resident[cu * EACH + i % EACH], made, now);
      busy += resident[cu * EACH + i % EACH].group != NULL;
    }
    busy += next < made->groups;
    if (now % 64 == 63)
      trace_writer_settle(writer, now + 1);
  }
  trace_write_meta(writer, "last", "", 0);
  EXPECT_TRUE(trace_writer_close(writer, &error));
  for (unsigned i = 0; i < RESIDENT; i++)
    free(resident[i].warps);
}

/* ---- checking ------------------------------------------------------------------------------- */

static bool same_vectors(const struct made_warp *warp, const struct trace_op *op) {
  const unsigned vectors = trace_kind_rows[op->kind].vectors;
  uint64_t lanes = vectors ? trace_lanes(op) : 0;
  bool same = true;
  for (unsigned i = 0; i < vectors && lanes; i++) {
    uint64_t value[TRACE_LANES];
    trace_spread(&op->vector[i], warp->made->lanes, value);
    for (unsigned lane = 0; lane < warp->made->lanes; lane++)
      same = same && (!(lanes >> lane & 1) || value[lane] == warp->value[i][lane]);
  }
  return same;
}

static bool same(const struct made_warp *warp, const struct trace_op *op) {
  const struct trace_op *made = &warp->op;
  const unsigned fields = op->mask ? trace_kind_rows[op->kind].fields : 0;
  if (op->pc != made->pc || op->next != made->next || op->mask != made->mask || op->flags != made->flags ||
      op->kind != made->kind || op->notes != made->notes)
    return false;
  if (fields && memcmp(op->field, warp->field, fields * sizeof *op->field) != 0)
    return false;
  if (op->notes && (op->note->kind != made->note->kind || op->note->values != made->note->values ||
                    memcmp(op->note->value, made->note->value, 3 * sizeof(uint64_t)) != 0 ||
                    strcmp(op->note->text, made->note->text) != 0))
    return false;
  return same_vectors(warp, op);
}

uint64_t made_check(const struct made *made, struct trace *trace, bool prefix) {
  struct trace_warp *reader = trace_warp_new(trace);
  struct made_warp *warp = malloc(sizeof *warp);
  uint8_t kinds[MADE_PCS];
  uint64_t operations = 0;
  made_kinds(made, kinds);
  for (uint32_t group = 0; group < made->groups; group++)
    for (uint32_t i = 0; i < made->warps; i++) {
      struct trace_op op;
      uint32_t pc;
      made_start(warp, made, kinds, group, i);
      const bool started = trace_warp_start(reader, 0, group, i, &pc);
      bool good = started ? pc == warp->op.next : prefix;
      while (good && started && trace_decode(reader, &op)) {
        good = made_next(warp) && same(warp, &op);
        operations += good;
      }
      ct_note("seed %llu, group %u, warp %u, %u operations before its end", (unsigned long long)made->seed, group, i,
              warp->left);
      if (!EXPECT_TRUE(good) || !EXPECT_TRUE(prefix || !warp->left))
        goto out;
    }
out:
  EXPECT_STREQ(trace_failed(trace) ? trace_failed(trace)->text : "", "");
  trace_warp_free(reader);
  free(warp);
  return operations;
}

const char *made_path(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/warpwait-%d-%s.wwt", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid(),
           name);
  return path;
}

uint8_t *made_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size + 1);
  EXPECT_EQ(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

void made_put(const char *path, const uint8_t *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  EXPECT_EQ(fwrite(bytes, 1, size, file), size);
  EXPECT_EQ(fclose(file), 0);
}

void made_python(const char *path, bool salvage) {
  const char *python = getenv("PYTHON") ? getenv("PYTHON") : "/usr/bin/python3";
  char command[1024];
  snprintf(
      command, sizeof command,
      "PYTHONPATH=bindings/python PYTHONDONTWRITEBYTECODE=1 %s -m warpwait.trace %s %s 2>%s.errors | cmp - %s.text",
      python, salvage ? "--salvage" : "", path, path, path);
  ct_note("%s", command);
  EXPECT_EQ(system(command), 0);
  snprintf(command, sizeof command, "rm -f %s %s.text %s.errors", path, path, path);
  EXPECT_EQ(system(command), 0);
}
