/* From SPIR-V to a program. The module is read once and its variables are laid out once. Then each kernel is built,
 * optimized and emitted by itself, several at a time in threads:
 *
 *      thread 0   build 0 | passes, emit            build 2 | ...
 *      thread 1             build 1 | passes, emit            build 3 | ...    then all are joined, in order
 *
 * The program is bit-identical for any number of threads. A kernel that cannot be lowered leaves no trace in it. */
#include "isa/rows.h"
#include "opencl/emit/emit.h"
#include "opencl/lower/build.h"
#include "opencl/opencl.h"
#include "opencl/passes/passes.h"
#include "opencl/sources.h"
#include "sim/base/crew.h"
#include "sim/base/heap.h"
#include "sim/base/need.h"
#include "sim/base/processors.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const opencl_copies_names[OPENCL_COPIES] = {"machine", "loop"};

/* A kernel on its way into the program. */
struct lowered {
  struct isa_program *part; /* this kernel alone */
  struct isa_error *why;    /* NULL unless the kernel cannot be lowered */
  struct ir_log log;
};

struct lowering {
  const struct spirv *module;
  struct opencl_limits limits;
  struct isa_program *program;
  pthread_mutex_t mutex; /* protects the fields below */
  struct build_tables tables;
  struct lowered *kernel; /* indexed by entry point */
  uint32_t begun;         /* kernels taken so far */
  uint32_t most;          /* kernels to take */
  bool all;               /* continue after a kernel that cannot be built */
};

static bool check_name(const struct spirv *module, const char *name, struct isa_error *error) {
  const size_t length = strlen(name);
  if (length <= ISA_LONGEST_NAME && isa_is_name(name, length))
    return true;
  snprintf(error->text, sizeof error->text,
           "%.200s: '%.100s' cannot be a kernel's name; legal: up to %u letters, digits and _, but not a register's "
           "name (r0, p0)",
           module->file, name, ISA_LONGEST_NAME);
  return false;
}

/* ---- a kernel -------------------------------------------------------------------------------------- */

/* Kernels are built in order, one at a time, because building may add to the constant table. */
struct turn {
  struct lowering *lowering;
  struct lowered *kernel;
  struct ir *ir; /* NULL: no kernel is left, or it cannot be built */
  struct isa_error error;
};

static void fail(struct turn *turn) {
  turn->kernel->why = need(1, sizeof *turn->kernel->why);
  *turn->kernel->why = turn->error;
}

static void build_next(void *self) {
  struct turn *turn = self;
  struct lowering *lowering = turn->lowering;
  if (lowering->begun == lowering->most)
    return;
  const uint32_t entry = lowering->begun++;
  turn->kernel = &lowering->kernel[entry];
  if (check_name(lowering->module, lowering->module->entry[entry].name, &turn->error))
    turn->ir = build_kernel(lowering->module, entry, &lowering->tables, &lowering->limits.target,
                            lowering->limits.copies == OPENCL_COPIES_LOOP, &turn->error);
  if (turn->ir)
    return;
  fail(turn);
  if (!lowering->all)
    lowering->most = lowering->begun;
}

/* If an assertion fails or memory runs out, the mutex must still be unlocked: other threads wait for it. */
static void take_turn(struct turn *turn) {
  pthread_mutex_t *mutex = &turn->lowering->mutex;
  size_t wanted = 0;
  pthread_mutex_lock(mutex);
  const bool good = heap_pass(build_next, turn, &wanted);
  pthread_mutex_unlock(mutex);
  if (!good)
    heap_out(wanted);
}

static void lower_next(void *self, unsigned share) {
  struct turn turn = {.lowering = self};
  (void)share; /* threads take kernels in order, whatever their share */
  take_turn(&turn);
  if (!turn.ir)
    return;
  turn.ir->log = turn.lowering->limits.explanation ? &turn.kernel->log : NULL;
  opencl_passes(turn.ir);
  turn.kernel->part = isa_program_new(turn.lowering->module->file);
  if (!emit_kernel(turn.ir, turn.kernel->part, &turn.error))
    fail(&turn);
  ir_free(turn.ir);
}

/* ---- all kernels ----------------------------------------------------------------------------------- */

static void append_code(struct isa_program *program, const struct isa_program *part) {
  const uint32_t entry = program->count, room = entry + part->count;
  program->code = need_more(program->code, room, sizeof *program->code);
  program->line = need_more(program->line, room, sizeof *program->line);
  program->column = need_more(program->column, room, sizeof *program->column);
  program->source = need_more(program->source, room, sizeof *program->source);
  program->order = need_more(program->order, room, sizeof *program->order);
  for (uint32_t i = 0; i < part->count; i++) {
    struct isa_inst *inst = &program->code[entry + i];
    *inst = part->code[i];
    const uint32_t join = isa_branch_join(inst);
    if (inst->op == ISA_BRA)
      isa_branch_set(inst, entry + isa_branch_target(inst), join == ISA_NEVER ? join : entry + join);
  }
  memcpy(program->line + entry, part->line, part->count * sizeof *part->line);
  memcpy(program->column + entry, part->column, part->count * sizeof *part->column);
  memcpy(program->source + entry, part->source, part->count * sizeof *part->source);
  memcpy(program->order + entry, part->order, part->count * sizeof *part->order);
  program->count = room;
}

/* Refuses the kernel if the program would be too large. */
static void append(struct isa_program *program, struct lowered *kernel) {
  struct isa_program *part = kernel->part;
  const uint32_t entry = program->count;
  if (part->count > ISA_MOST_INSTRUCTIONS - entry) {
    kernel->why = need(1, sizeof *kernel->why);
    snprintf(kernel->why->text, sizeof kernel->why->text,
             "%.200s: kernel '%.60s' has more instructions than a program may have (%d)", program->file,
             part->kernels[0].name, ISA_MOST_INSTRUCTIONS);
    return;
  }
  append_code(program, part);
  program->kernels = need_more(program->kernels, program->kernel_count + 1, sizeof *program->kernels);
  program->kernels[program->kernel_count] = part->kernels[0];
  program->kernels[program->kernel_count].entry += entry;
  program->kernels[program->kernel_count++].end += entry;
  part->kernel_count = 0; /* the program owns its names now */
}

static void explain(struct opencl_explanation *explanation, const char *kernel, struct ir_log *log) {
  explanation->row = need_more(explanation->row, explanation->count + 1, sizeof *explanation->row);
  explanation->row[explanation->count++] = (struct opencl_explained){need_copy(kernel), *log};
  *log = (struct ir_log){0};
}

static void refuse(struct opencl_refusals *refusals, const char *kernel, const struct isa_error *error, bool autorun) {
  refusals->row = need_more(refusals->row, refusals->count + 1, sizeof *refusals->row);
  refusals->row[refusals->count++] = (struct opencl_refusal){need_copy(kernel), *error, autorun};
}

/* The error is the first kernel that cannot be lowered, unless `refusals` collects them and at least one kernel is
 * left. */
static bool join(struct lowering *lowering, struct opencl_refusals *refusals, struct isa_error *error) {
  const struct spirv *module = lowering->module;
  const struct isa_error *first = NULL;
  for (uint32_t i = 0; i < lowering->begun && (refusals || !first); i++) {
    struct lowered *kernel = &lowering->kernel[i];
    if (!kernel->why)
      append(lowering->program, kernel);
    if (!kernel->why && lowering->limits.explanation)
      explain(lowering->limits.explanation, module->entry[i].name, &kernel->log);
    if (kernel->why && refusals)
      refuse(refusals, module->entry[i].name, kernel->why, build_is_autorun(module, i));
    first = first ? first : kernel->why;
    assert((!first || first->text[0]) && "a refused kernel has a reason");
  }
  if (!first || (refusals && lowering->program->kernel_count))
    return true;
  *error = *first;
  return false;
}

static bool lower_kernels(struct lowering *lowering, struct opencl_refusals *refusals, struct isa_error *error) {
  enum { MOST_THREADS = 8 }; /* each holds a kernel in memory */
  const uint32_t entries = lowering->module->entries;
  const unsigned wanted = lowering->limits.threads ? lowering->limits.threads : processors_online();
  const unsigned threads = wanted < MOST_THREADS ? wanted : MOST_THREADS;
  lowering->kernel = need(entries, sizeof *lowering->kernel);
  lowering->most = entries;
  lowering->all = refusals;
  pthread_mutex_init(&lowering->mutex, NULL);
  struct crew *crew = crew_new(threads < entries ? threads : entries, entries, lower_next, lowering);
  crew_round(crew);
  crew_free(crew);
  pthread_mutex_destroy(&lowering->mutex);
  const bool good = join(lowering, refusals, error);
  for (uint32_t i = 0; i < entries; i++) {
    isa_program_free(lowering->kernel[i].part);
    free(lowering->kernel[i].why);
    ir_log_free(&lowering->kernel[i].log);
  }
  free(lowering->kernel);
  return good;
}

/* Moves what the kernels share into the program and validates it. */
static bool complete(struct lowering *lowering, struct isa_error *error) {
  struct isa_program *program = lowering->program;
  struct build_tables *tables = &lowering->tables;
  program->constants = tables->constants;
  program->constant_bytes = tables->constant_bytes;
  program->variables = tables->variables;
  program->variable_bytes = tables->variable_bytes;
  program->channels = tables->channels;
  program->channel_count = tables->channel_count;
  tables->constants = tables->variables = NULL;
  tables->channels = NULL;
  tables->channel_count = 0;
  program->info = need((size_t)program->count + 1, sizeof *program->info);
  sources_fill(lowering->module, lowering->limits.reads, lowering->limits.text, program);
  return isa_validate(program, error);
}

static struct isa_program *lower_module(const struct spirv *module, const struct opencl_limits *limits,
                                        struct opencl_refusals *refusals, struct isa_error *error) {
  if (!module->entries) {
    snprintf(error->text, sizeof error->text, "%.200s: has no kernel", module->file);
    return NULL;
  }
  struct lowering lowering = {.module = module, .limits = *limits};
  if (!build_tables(module, &lowering.tables, error))
    return NULL;
  lowering.program = isa_program_new(module->file);
  const bool good = lower_kernels(&lowering, refusals, error) && complete(&lowering, error);
  build_tables_free(&lowering.tables);
  if (good)
    return lowering.program;
  isa_program_free(lowering.program);
  return NULL;
}

static struct isa_program *lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct opencl_refusals *refusals,
                                 struct isa_error *error) {
  struct spirv *module = spirv_read(spirv, size, file, error);
  struct isa_program *program = module ? lower_module(module, limits, refusals, error) : NULL;
  spirv_free(module);
  return program;
}

struct isa_program *opencl_lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct isa_error *error) {
  return lower(spirv, size, file, limits, NULL, error);
}

struct isa_program *opencl_lower_each(const uint8_t *spirv, size_t size, const char *file,
                                      const struct opencl_limits *limits, struct opencl_refusals *refusals,
                                      struct isa_error *error) {
  *refusals = (struct opencl_refusals){0};
  return lower(spirv, size, file, limits, refusals, error);
}

const struct isa_error *opencl_refused(const struct opencl_refusals *refusals, const char *kernel) {
  for (size_t i = 0; i < refusals->count; i++)
    if (!strcmp(refusals->row[i].kernel, kernel))
      return &refusals->row[i].error;
  return NULL;
}

void opencl_explanation_free(struct opencl_explanation *explanation) {
  for (size_t i = 0; i < explanation->count; i++) {
    free(explanation->row[i].kernel);
    ir_log_free(&explanation->row[i].log);
  }
  free(explanation->row);
  *explanation = (struct opencl_explanation){0};
}

void opencl_refusals_free(struct opencl_refusals *refusals) {
  for (size_t i = 0; i < refusals->count; i++)
    free(refusals->row[i].kernel);
  free(refusals->row);
  *refusals = (struct opencl_refusals){0};
}
