#include "tools/import/sass_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/need.h"
#include "sim/launch/machines.h"
#include "sim/replay/recorder.h"
#include "sim/session/run.h"

void sass_report_progress(void *self, size_t launch, size_t launches, uint64_t instructions, uint64_t total) {
  char of[32] = "";
  if (!caller_due(self))
    return;
  if (total)
    snprintf(of, sizeof of, " of %.1f", (double)total / 1e6);
  caller_progress(self, "%s kernel %zu of %zu: %.1f%s million lines", total ? "writing" : "reading", launch + 1,
                  launches, (double)instructions / 1e6, of);
}

/* ---- the job ---------------------------------------------------------------------------------------- */

static bool fill_launch(const struct sass_launch *launch, const struct isa_program *program, struct isa_launch *isa,
                        struct message *message) {
  *isa = (struct isa_launch){.program = program,
                             .kernel = &program->kernels[launch->kernel],
                             .dimensions = 1,
                             .warp_size = SASS_LANES,
                             .lds_bytes = launch->lds_bytes};
  for (unsigned i = 0; i < 3; i++) {
    const uint64_t items = (uint64_t)launch->grid[i] * launch->block[i];
    if (items > UINT32_MAX)
      return message_fail(message, "%s: grid dim: %u thread blocks of %u threads exceed %u threads", launch->path,
                          launch->grid[i], launch->block[i], UINT32_MAX);
    isa->global[i] = (uint32_t)items;
    isa->local[i] = launch->block[i];
    isa->groups[i] = launch->grid[i];
    isa->dimensions = items > 1 ? i + 1 : isa->dimensions;
  }
  return true;
}

/* Buffers without data. */
static void fill_memory(const struct sass_import *import, struct isa_memory *memory) {
  memory->buffers = need(import->region_count, sizeof *memory->buffers);
  for (; memory->count < import->region_count; memory->count++) {
    const uint64_t base = import->regions[memory->count];
    struct isa_buffer *buffer = &memory->buffers[memory->count];
    *buffer = (struct isa_buffer){.base = base ? base : 1, .bytes = base ? SASS_REGION : SASS_REGION - 1};
    snprintf(buffer->name, sizeof buffer->name, "0x%" PRIx64, base);
  }
}

bool sass_job(const struct sass_import *import, const char *list, const struct machine_request *request,
              struct job *job, struct message *message) {
  struct machine machine;
  if (!machine_choose(request, NULL, NULL, NULL, &machine, message))
    return false;
  job_set_machine(job, &machine, &machine);
  if (!machine_adjust(request, job->machine, message))
    return false;
  job->file = need_copy(list);
  job->origin = JOB_IMPORTED;
  fill_memory(import, &job->memory);
  job->launches = need(import->launch_count, sizeof *job->launches);
  for (size_t i = 0; i < import->launch_count; i++) {
    job->launches[job->launch_count++] = (struct job_launch){.first = i, .together = 1};
    if (!fill_launch(&import->launches[i], import->program, &job->launches[i].isa, message))
      return false;
  }
  return true;
}

/* ---- the trace -------------------------------------------------------------------------------------- */

bool sass_record(struct sass_import *import, struct job *job, int file, const char *name, struct message *message) {
  struct trace_writer *writer = trace_writer_open_on(file, name, message);
  if (!writer)
    return false;
  job->program.isa = import->program; /* borrowed for writing */
  trace_job_write(job, RUN_MAX_CYCLES, writer);
  job->program.isa = NULL;
  recorder_write_program(writer, import->program, NULL, 0);
  const bool good = sass_import_write(import, writer, message);
  if (good || !trace_writer_good(writer))
    return trace_writer_close(writer, message) && good;
  trace_writer_abandon(writer);
  return false;
}

/* ---- losses ----------------------------------------------------------------------------------------- */

static void report_count(const struct caller *caller, const char *what, const char *text,
                         const struct sass_count *count) {
  struct message message;
  message_fail(&message, "%s: %s%s: %s (%" PRIu64 " time%s)", count->place, what, count->what ? count->what : "", text,
               count->count, count->count == 1 ? "" : "s");
  caller_warn(caller, &message);
}

void sass_report_lost(const struct sass_import *import, const struct caller *caller) {
  struct message message;
  for (size_t i = 0; i < import->unknown_count; i++)
    report_count(caller, "opcode ", import->unknown[i].text, &import->unknown[i]);
  for (size_t i = 0; i < SASS_LOSSES; i++)
    if (import->lost[i].count)
      report_count(caller, sass_losses[i].name, sass_losses[i].text, &import->lost[i]);
  if (import->copies) {
    message_fail(&message, "%" PRIu64 " cop%s by the host skipped", import->copies, import->copies == 1 ? "y" : "ies");
    caller_warn(caller, &message);
  }
}

bool sass_all_known(const struct sass_import *import, struct message *message) {
  const struct sass_count *first = import->unknown;
  return !import->unknown_count ||
         message_fail(message, "%s: opcode %s is unknown, which --strict does not accept%s", first->place, first->what,
                      import->unknown_count > 1 ? "; others are unknown, too" : "");
}
