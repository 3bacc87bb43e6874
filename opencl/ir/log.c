#include "opencl/ir/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl/ir/ir.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

struct ir_lines {
  uint64_t *key; /* source and line of each operation, sorted */
  size_t count, room;
};

static uint64_t key_of(struct ir_place place) { return (uint64_t)place.source << 32 | place.line; }

static int by_key(const void *a, const void *b) {
  const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
  return (one > two) - (one < two);
}

static void count(struct ir_lines *lines, struct ir_place place) {
  *vector_next(lines->key, lines->count, lines->room) = key_of(place);
}

static bool is_counted(const struct ir_inst *inst) { return inst->op < ISA_OPS || inst->op == IR_COPY; }

static struct ir_lines *count_lines(const struct ir *ir) {
  struct ir_lines *lines = need(1, sizeof *lines);
  for (uint32_t i = 0; i < ir->blocks; i++) {
    const struct ir_block *block = &ir->block[i];
    for (uint32_t k = 0; k < block->count; k++)
      if (is_counted(&ir->inst[block->inst[k]]))
        count(lines, ir->inst[block->inst[k]].place);
    if (block->end == IR_END_IF)
      count(lines, block->place);
  }
  if (lines->count)
    qsort(lines->key, lines->count, sizeof *lines->key, by_key);
  return lines;
}

static struct ir_change *add(struct ir_log *log, uint64_t key) {
  struct ir_change *change = vector_next(log->change, log->count, log->room);
  *change =
      (struct ir_change){.pass = log->pass, .step = log->step, .line = (uint32_t)key, .source = (uint16_t)(key >> 32)};
  return change;
}

/* Counts the operations of `key` from *at on and moves *at behind them. */
static uint32_t take(const struct ir_lines *lines, uint64_t key, size_t *at) {
  const size_t from = *at;
  while (*at < lines->count && lines->key[*at] == key)
    ++*at;
  return (uint32_t)(*at - from);
}

struct ir_lines *ir_log_begin(struct ir *ir, enum opencl_pass pass) {
  if (!ir->log)
    return NULL;
  ir->log->pass = pass;
  ir->log->step++;
  return count_lines(ir);
}

void ir_log_end(struct ir *ir, struct ir_lines *before) {
  struct ir_lines *after = before ? count_lines(ir) : NULL;
  for (size_t a = 0, b = 0; before && (a < after->count || b < before->count);) {
    const uint64_t here = a < after->count ? after->key[a] : UINT64_MAX;
    const uint64_t there = b < before->count ? before->key[b] : UINT64_MAX, key = here < there ? here : there;
    const uint32_t was = take(before, key, &b), is = take(after, key, &a);
    if (was != is) {
      struct ir_change *change = add(ir->log, key);
      change->before = was;
      change->after = is;
    }
  }
  for (int i = 0; before && i < 2; i++) {
    struct ir_lines *lines = i ? after : before;
    free(lines->key);
    free(lines);
  }
}

void ir_note(struct ir *ir, struct ir_place place, const char *format, ...) {
  char text[160];
  va_list arguments;
  if (!ir->log)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  add(ir->log, key_of(place))->note = need_copy(text);
}

void ir_log_free(struct ir_log *log) {
  for (size_t i = 0; i < log->count; i++)
    free(log->change[i].note);
  free(log->change);
  *log = (struct ir_log){0};
}
