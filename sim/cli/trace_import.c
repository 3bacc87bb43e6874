/* warpwait trace import: from Accel-Sim's traces to one of ours. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"
#include "sim/console/output.h"
#include "sim/console/terminal.h"
#include "sim/import/import.h"
#include "sim/replay/recorder.h"
#include "sim/session/machines.h"
#include "sim/session/run.h"

struct invocation {
  struct message message;
  const char *list, *out, *machine;
  struct words sets;
  bool strict;
};

/* ---- progress --------------------------------------------------------------------------------------- */

static void tell(void *self, size_t launch, size_t launches, uint64_t instructions, uint64_t total) {
  char of[32] = "";
  if (!caller_due(self))
    return;
  if (total)
    snprintf(of, sizeof of, " of %.1f", (double)total / 1e6);
  caller_progress(self, "%s kernel %zu of %zu: %.1f%s million lines", total ? "writing" : "reading", launch + 1,
                  launches, (double)instructions / 1e6, of);
}

/* ---- the job ---------------------------------------------------------------------------------------- */

static bool fail_import(struct message *message, const struct sass_error *error) {
  return message_fail(message, "%s", error->text);
}

static bool fill_launch(struct invocation *call, const struct sass_launch *launch, const struct isa_program *program,
                        struct isa_launch *isa) {
  *isa = (struct isa_launch){.program = program,
                             .kernel = &program->kernels[launch->kernel],
                             .dimensions = 1,
                             .warp_size = SASS_LANES,
                             .lds_bytes = launch->lds_bytes};
  for (unsigned i = 0; i < 3; i++) {
    const uint64_t items = (uint64_t)launch->grid[i] * launch->block[i];
    if (items > UINT32_MAX)
      return message_fail(&call->message, "%s: grid dim: %u thread blocks of %u threads are more than %u threads",
                          launch->path, launch->grid[i], launch->block[i], UINT32_MAX);
    isa->global[i] = (uint32_t)items;
    isa->local[i] = launch->block[i];
    isa->groups[i] = launch->grid[i];
    isa->dimensions = items > 1 ? i + 1 : isa->dimensions;
  }
  return true;
}

/* Buffers without bytes. */
static void fill_memory(const struct sass_import *import, struct isa_memory *memory) {
  uint64_t base = 0;
  while (sass_import_region(import, memory->count, &base)) {
    memory->buffers = need_more(memory->buffers, memory->count + 1, sizeof *memory->buffers);
    struct isa_buffer *buffer = &memory->buffers[memory->count++];
    *buffer = (struct isa_buffer){.base = base ? base : 1, .bytes = base ? SASS_REGION : SASS_REGION - 1};
    snprintf(buffer->name, sizeof buffer->name, "0x%" PRIx64, base);
  }
}

/* What a replay is told: launches one after the other. */
static bool fill_job(struct invocation *call, const struct sass_import *import, struct job *job) {
  const struct isa_program *program = sass_import_program(import);
  const struct job_request request = {.set = call->sets.word, .set_count = call->sets.count};
  const struct sass_launch *launch;
  if (!machine_load(call->machine ? call->machine : "h200", NULL, NULL, &job->machine, &call->message))
    return message_within(&call->message, "--machine");
  job->machine_file = job->machine;
  if (!job_machine(&request, &job->machine, &call->message))
    return false;
  job->file = need_copy(call->list);
  fill_memory(import, &job->memory);
  while ((launch = sass_import_launch(import, job->launch_count))) {
    job->launches = need_more(job->launches, job->launch_count + 1, sizeof *job->launches);
    struct job_launch *made = &job->launches[job->launch_count];
    *made = (struct job_launch){.first = job->launch_count, .together = 1};
    job->launch_count++;
    if (!fill_launch(call, launch, program, &made->isa))
      return false;
  }
  return true;
}

/* ---- the trace -------------------------------------------------------------------------------------- */

/* What is written. */
struct conversion {
  struct sass_import *import;
  struct job *job;
};

static bool write_trace(void *self, int file, const char *name, struct message *message) {
  const struct conversion *made = self;
  const struct isa_program *program = sass_import_program(made->import);
  struct trace_error error = {0};
  struct sass_error wrong = {0};
  struct trace_writer *writer = trace_writer_open_on(file, name, &error);
  if (!writer)
    return trace_fail(message, &error);
  made->job->program.isa = (struct isa_program *)program; /* lent, to be written */
  trace_job_write(made->job, RUN_MAX_CYCLES, writer);
  made->job->program.isa = NULL;
  recorder_write_program(writer, program, NULL, 0);
  const bool good = sass_import_write(made->import, writer, &wrong) || fail_import(message, &wrong);
  if (good || !trace_writer_good(writer))
    return trace_writer_close(writer, &error) ? good : trace_fail(message, &error);
  trace_writer_abandon(writer);
  return false;
}

/* ---- what was lost ---------------------------------------------------------------------------------- */

static void tell_count(const char *what, const char *text, const struct sass_count *count) {
  struct message message;
  message_fail(&message, "%s: %s%s: %s (%" PRIu64 " time%s)", count->place, what, count->what ? count->what : "", text,
               count->count, count->count == 1 ? "" : "s");
  message_print(&message);
}

static void tell_unknown(const struct sass_import *import) {
  const struct sass_count *unknown;
  for (size_t i = 0; (unknown = sass_import_unknown(import, i)); i++)
    tell_count("opcode ", unknown->text, unknown);
}

static void tell_lost(const struct sass_import *import) {
  struct message message;
  tell_unknown(import);
  for (size_t i = 0; i < SASS_LOSSES; i++) {
    const struct sass_count lost = sass_import_lost(import, (enum sass_loss)i);
    if (lost.count)
      tell_count(sass_losses[i].name, sass_losses[i].text, &lost);
  }
  const uint64_t copies = sass_import_copies(import);
  if (copies) {
    message_fail(&message, "%" PRIu64 " cop%s by the host left out", copies, copies == 1 ? "y" : "ies");
    message_print(&message);
  }
}

static bool refuse_unknown(struct invocation *call, const struct sass_import *import) {
  const struct sass_count *first = sass_import_unknown(import, 0);
  size_t count = 0;
  while (sass_import_unknown(import, count))
    count++;
  if (!call->strict || !count)
    return true;
  return message_fail(&call->message, "%s: opcode %s is not known, with --strict an error%s", first->place, first->what,
                      count > 1 ? "; so are others" : "");
}

int verb_trace_import(struct command *command) {
  struct invocation call = {.machine = command_word(command, OPTION_MACHINE),
                            .sets = command_words(command, OPTION_SET),
                            .strict = command_has(command, OPTION_STRICT)};
  struct sass_error error = {0};
  struct job job = {0};
  struct terminal terminal;
  const struct sass_watch watch = {&terminal.caller, tell};
  struct sass_import *import = NULL;
  bool good =
      command_in_and_out(command, &call.list, &call.out, &call.message) && output_possible(call.out, &call.message);
  if (good && file_is_same(call.list, call.out))
    good = message_fail(&call.message, "%s: is the input, too", call.out);
  terminal_open(&terminal, command_has(command, OPTION_QUIET));
  if (good && !(import = sass_import_open(call.list, &watch, &error)))
    good = fail_import(&call.message, &error);
  good = good && refuse_unknown(&call, import) && fill_job(&call, import, &job) &&
         trace_job_possible(&job, &call.message) &&
         trace_write_file(call.out, write_trace, &(struct conversion){import, &job}, &call.message);
  terminal_clear(&terminal);
  if (good)
    tell_lost(import);
  if (import)
    sass_import_free(import);
  job_free(&job);
  free(call.sets.word);
  return good ? STATUS_FINE : console_bad_input(&call.message);
}
