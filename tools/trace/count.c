#include "tools/trace/count.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

void op_count_add(struct op_count *sum, const struct op_count *at) {
  sum->operations += at->operations;
  sum->lanes += at->lanes;
  sum->accesses += at->accesses;
  sum->bytes += at->bytes;
  sum->copies += at->copies;
  sum->copy_bytes += at->copy_bytes;
}

static struct kernel_count *kernel_of(struct trace_count *count, const struct isa_launch *launch) {
  size_t i = 0;
  while (i < count->count &&
         (count->kernels[i].program != launch->program || count->kernels[i].kernel != launch->kernel))
    i++;
  if (i == count->count) {
    *vector_next(count->kernels, count->count, count->room) =
        (struct kernel_count){.program = launch->program, .kernel = launch->kernel};
    count->kernels[i].by_pc = need(launch->program->count, sizeof *count->kernels[i].by_pc);
  }
  return &count->kernels[i];
}

static void count_copy(struct kernel_count *kernel, struct op_count *at, const uint64_t *field) {
  const uint64_t bytes =
      field[TRACE_COPY_ELEMENT_BYTES] * field[TRACE_COPY_ELEMENTS] * field[TRACE_COPY_LINES] * field[TRACE_COPY_PLANES];
  struct copy_count *copies = &kernel->copies[field[TRACE_COPY_TO_LDS] != 0][field[TRACE_COPY_FORM] % COPY_FORMS];
  copies->copies++;
  copies->bytes += bytes;
  at->copies++;
  at->copy_bytes += bytes;
}

static uint64_t prefetched(const struct trace_op *op, uint32_t lanes) {
  uint64_t value[TRACE_LANES], bytes = 0;
  trace_spread(&op->vector[TRACE_PREFETCH_BYTES], lanes, value);
  for (uint64_t left = trace_lanes(op); left; left &= left - 1)
    bytes += value[__builtin_ctzll(left)];
  return bytes;
}

/* Counts the fields that depend on the operation's kind. */
static void count_fields(struct kernel_count *kernel, struct op_count *at, const struct trace_op *op, uint32_t lanes,
                         bool first_warp) {
  if (!op->mask)
    return;
  switch (op->kind) {
  case TRACE_ACCESS:
  case TRACE_LANE_COPY:
    at->accesses += trace_lanes(op) != 0;
    at->bytes += (uint64_t)__builtin_popcountll(trace_lanes(op)) * kernel->program->info[op->pc].bytes;
    break;
  case TRACE_PREFETCH:
    at->accesses += trace_lanes(op) != 0;
    at->bytes += prefetched(op, lanes);
    break;
  case TRACE_COPY:
    if (first_warp)
      count_copy(kernel, at, op->field);
    break;
  default:
    break;
  }
}

static void count_piece(struct kernel_count *kernel, const struct trace_piece *piece, uint32_t lanes) {
  struct trace_op op;
  for (uint64_t left = piece->operations; left; left--) {
    const struct trace_common *again = trace_decode_again(piece->decoder);
    if (again) {
      kernel->by_pc[again->pc].operations++;
      kernel->by_pc[again->pc].lanes += (uint64_t)__builtin_popcountll(again->mask);
    } else if (trace_decode(piece->decoder, &op)) {
      struct op_count *at = &kernel->by_pc[op.pc];
      at->operations++;
      at->lanes += (uint64_t)__builtin_popcountll(op.mask);
      count_fields(kernel, at, &op, lanes, piece->warp == 0);
    } else {
      return;
    }
  }
}

/* Finds the kernels, and the kernel of each launch. */
static uint32_t *find_kernels(struct trace *trace, const struct job *job, struct trace_count *count) {
  uint32_t *kernels = need(trace_launches(trace) + 1u, sizeof *kernels);
  for (uint32_t i = 0; i < trace_launches(trace); i++) {
    struct kernel_count *kernel = kernel_of(count, &job->launches[i].isa);
    kernel->launches++;
    kernels[i] = (uint32_t)(kernel - count->kernels);
  }
  return kernels;
}

bool trace_count_read(struct trace *trace, const struct job *job, struct trace_count *count, struct message *error) {
  struct trace_walk *walk = trace_walk_new(trace);
  struct trace_piece piece;
  *count = (struct trace_count){0};
  uint32_t *kernels = find_kernels(trace, job, count);
  while (trace_walk_next(walk, &piece))
    count_piece(&count->kernels[kernels[piece.launch]], &piece, job->launches[piece.launch].isa.warp_size);
  for (size_t i = 0; i < count->count; i++)
    for (uint32_t pc = 0; pc < count->kernels[i].program->count; pc++)
      op_count_add(&count->kernels[i].all, &count->kernels[i].by_pc[pc]);
  free(kernels);
  trace_walk_free(walk);
  if (trace_failed(trace))
    *error = *trace_failed(trace);
  return !trace_failed(trace);
}

void trace_count_free(struct trace_count *count) {
  for (size_t i = 0; i < count->count; i++)
    free(count->kernels[i].by_pc);
  free(count->kernels);
}

static int by_place(const void *left, const void *right) {
  const struct line_count *a = left, *b = right;
  if (a->source != b->source)
    return a->source < b->source ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

/* Starts with a row per instruction, sorts the rows, then merges those of one line. Sums do not depend on the order of
 * ties. */
struct line_count *trace_count_lines(const struct kernel_count *kernel, size_t *count) {
  const struct isa_program *program = kernel->program;
  struct line_count *lines = need(program->count + 1u, sizeof *lines);
  size_t rows = 0;
  *count = 0;
  for (uint32_t pc = 0; pc < program->count; pc++) {
    const uint32_t line = program->line ? program->line[pc] : 0;
    if (kernel->by_pc[pc].operations)
      lines[rows++] = (struct line_count){line && program->source ? program->source[pc] : 0, line, kernel->by_pc[pc]};
  }
  qsort(lines, rows, sizeof *lines, by_place);
  for (size_t i = 0; i < rows; i++)
    if (*count && by_place(&lines[*count - 1], &lines[i]) == 0)
      op_count_add(&lines[*count - 1].count, &lines[i].count);
    else
      lines[(*count)++] = lines[i];
  return lines;
}
