#include "tools/trace/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/need.h"
#include "sim/replay/kinds.h"
#include "sim/replay/recorder.h"
#include "sim/replay/trace_job.h"
#include "sim/report/report.h"
#include "tools/trace/program.h"

/* A program of the trace being written. */
struct commented {
  struct isa_program *isa; /* NULL: unreadable */
  char **comments;         /* one per instruction; NULL until needed */
};

struct trace_text {
  struct commented *programs;
  uint32_t program_count;
  struct isa_program *assembled; /* waits for its job */
};

/* ---- writing ----------------------------------------------------------------------------------- */

static bool is_program(const char *name) { return strncmp(name, "program", 7) == 0; }

static char *put_meta(void *self, const char *name, const void *bytes, size_t size, const char **form) {
  (void)self;
  *form = "assembly";
  return is_program(name) ? trace_program_text(bytes, size) : NULL;
}

static char *make_comment(const struct isa_program *program, uint32_t pc) {
  char place[PROGRAM_PLACE], instruction[160], text[256];
  program_place(program, pc, place);
  isa_print(program, pc, instruction, sizeof instruction);
  snprintf(text, sizeof text, "%s  (%.80s)", instruction, place);
  for (char *c = text; *c; c++)
    *c = (char)((unsigned char)*c < ' ' ? ' ' : *c);
  return need_copy(text);
}

static const char *comment(void *self, uint32_t number, uint32_t pc) {
  const struct trace_text *own = self;
  const struct commented *program = number < own->program_count ? &own->programs[number] : NULL;
  if (!program || !program->isa || pc >= program->isa->count)
    return NULL;
  if (!program->comments[pc])
    program->comments[pc] = make_comment(program->isa, pc);
  return program->comments[pc];
}

static void read_programs(struct trace_text *text, struct trace *trace) {
  text->program_count = trace_programs(trace);
  text->programs = need(text->program_count + 1, sizeof *text->programs);
  for (uint32_t i = 0; i < text->program_count; i++) {
    char name[32];
    size_t size = 0;
    struct isa_error error;
    snprintf(name, sizeof name, "program%u", i);
    const char *bytes = trace_meta(trace, name, &size);
    struct isa_program *isa = bytes ? isa_decode((const uint8_t *)bytes, size, name, &error) : NULL;
    text->programs[i] = (struct commented){isa, isa ? need(isa->count + 1, sizeof(char *)) : NULL};
  }
}

/* ---- reading ----------------------------------------------------------------------------------- */

static void *take_meta(void *self, const char *form, const char *name, const struct text_block *block, size_t *size,
                       struct message *error) {
  (void)self;
  (void)form;
  struct isa_program *program = trace_program_read(block, name, error);
  uint8_t *bytes = program ? isa_encode(program, size) : NULL;
  isa_program_free(program);
  return bytes;
}

static bool take_assembly(struct trace_text *text, const char *name, const struct text_block *block,
                          struct message *error) {
  isa_program_free(text->assembled);
  text->assembled = trace_program_read(block, *name ? name : "kernel.wws", error);
  return text->assembled;
}

/* Writes each program when a launch first uses it, like a recording. */
static void write_launches(const struct job *job, struct trace_writer *writer) {
  const struct isa_program **programs = need(job->launch_count, sizeof(void *));
  uint32_t count = 0;
  for (size_t i = 0; i < job->launch_count; i++) {
    const struct isa_launch *launch = &job->launches[i].isa;
    uint32_t number = 0;
    while (number < count && programs[number] != launch->program)
      number++;
    if (number == count) {
      uint8_t *kinds = replay_kinds(launch->program);
      programs[count++] = launch->program;
      recorder_write_program(writer, launch->program, kinds, number);
      free(kinds);
    }
    recorder_write_launch(writer, launch, number);
  }
  free(programs);
}

/* Reads a launch file's text. Puts empty lines before it, so that messages have the line numbers of the enclosing
 * file. */
static bool take_job(struct trace_text *text, const struct text_block *block, struct trace_writer *writer,
                     struct message *error) {
  const struct job_request request = {.program = text->assembled};
  struct job job = {0};
  struct message message = {""};
  char *padded = need(block->line + block->size, 1);
  memset(padded, '\n', block->line - 1);
  memcpy(padded + block->line - 1, block->text, block->size);
  bool good = launch_parse(padded, block->line - 1 + block->size, block->path, &request, &job, &message);
  if (job.program.isa && job.program.isa == text->assembled)
    text->assembled = NULL;
  if (good) {
    recorder_write_rules(writer);
    trace_job_write(&job, RUN_MAX_CYCLES, writer);
    write_launches(&job, writer);
  }
  if (!good)
    snprintf(error->text, sizeof error->text, "%.511s", message.text);
  job_free(&job);
  free(padded);
  return good;
}

static bool take_block(void *self, const char *head, const char *name, const struct text_block *block,
                       struct trace_writer *writer, struct message *error) {
  return strcmp(head, "assembly") == 0 ? take_assembly(self, name, block, error) : take_job(self, block, writer, error);
}

/* ---- construction -------------------------------------------------------------------------------- */

struct trace_text *trace_text_new(struct trace *trace) {
  struct trace_text *text = need(1, sizeof *text);
  if (trace)
    read_programs(text, trace);
  return text;
}

void trace_text_free(struct trace_text *text) {
  for (uint32_t i = 0; i < text->program_count; i++) {
    struct commented *program = &text->programs[i];
    for (uint32_t pc = 0; program->isa && pc < program->isa->count; pc++)
      free(program->comments[pc]);
    free(program->comments);
    isa_program_free(program->isa);
  }
  isa_program_free(text->assembled);
  free(text->programs);
  free(text);
}

struct text_hooks trace_text_hooks(struct trace_text *text) {
  static const char *const forms[] = {"assembly", NULL}, *const heads[] = {"assembly", "job", NULL};
  return (struct text_hooks){.self = text,
                             .put_meta = put_meta,
                             .comment = comment,
                             .take_meta = take_meta,
                             .take_block = take_block,
                             .forms = forms,
                             .heads = heads};
}
