/* warpwait asm, warpwait dis: programs into object files and listings, and back into assembly. */
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/file.h"
#include "sim/base/reads.h"
#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/job_options.h"
#include "sim/console/output.h"
#include "sim/console/terminal.h"
#include "sim/session/launch.h"
#include "sim/session/program.h"

struct translation {
  struct message message;
  const char *input, *output, *spirv;
  bool assembly;
  struct terminal terminal; /* waits for the compiler, and hears signals meanwhile */
  struct program_build build;
  struct reads reads;
  struct job job;         /* when `input` is a launch file, whose program it is */
  struct program program; /* else */
};

static const struct program *program_of(const struct translation *translation) {
  return translation->job.file ? &translation->job.program : &translation->program;
}

static bool write_object(const struct isa_program *program, const char *path, struct message *message) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  if (!isa_encode(program, &bytes, &size))
    return message_fail(message, "out of memory");
  bool good = output_write(path, bytes, size, message);
  free(bytes);
  return good;
}

static void list_head(const struct isa_kernel *kernel, struct text *text) {
  text_print(text, "kernel %s: %u register%s, %u spilled, %u byte%s of LDS, %u private byte%s a lane\n", kernel->name,
             kernel->registers, text_s(kernel->registers), kernel->spilled, kernel->lds_bytes,
             text_s(kernel->lds_bytes), kernel->private_bytes, text_s(kernel->private_bytes));
  for (size_t i = 0; i < kernel->arg_count; i++)
    text_print(text, "  argument %zu  %-8s %s\n", i + 1, kernel->args[i].type, kernel->args[i].name);
}

/* A line an instruction: its number, its source line, itself. */
static void list_kernel(const struct isa_program *program, const struct isa_kernel *kernel, struct text *text) {
  list_head(kernel, text);
  text_print(text, "%6s %6s  %-10s %s\n", "pc", "line", "class", "instruction");
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
    char line[256];
    isa_print(program, pc, line, sizeof line);
    text_print(text, "%6u %6u  %-10s %s\n", pc, program->line[pc],
               isa_class_name((enum isa_class)program->info[pc].class_), line);
  }
}

static bool same_line(const struct isa_program *program, uint32_t a, uint32_t b) {
  return program->line[a] == program->line[b] && (!program->line[a] || program->source[a] == program->source[b]);
}

/* The source line whenever it is another one than before, and below it what it became. */
static void interleave_kernel(const struct isa_program *program, const struct isa_kernel *kernel, struct text *text) {
  list_head(kernel, text);
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
    char line[256];
    const char *name = isa_source_name(program, pc), *source = isa_source_text(program, pc);
    if ((pc == kernel->entry || !same_line(program, pc - 1, pc)) && name)
      text_print(text, "\n%s:%u%s%.*s\n", file_base(name), program->line[pc], source ? ": " : "",
                 source ? (int)strcspn(source, "\r\n") : 0, source ? source : "");
    else if (pc == kernel->entry || !same_line(program, pc - 1, pc))
      text_print(text, "\n(no source line)\n");
    isa_print(program, pc, line, sizeof line);
    text_print(text, "%8u  %s\n", pc, line);
  }
}

/* There is source text, of a language other than the one that a disassembly is in. */
static bool has_source(const struct isa_program *program) {
  for (uint32_t i = 0; i < program->source_count; i++)
    if (program->sources[i].text && strcmp(file_extension(program->sources[i].name), ".wws") != 0)
      return true;
  return false;
}

static bool list(const struct translation *translation,
                 void (*list_one)(const struct isa_program *program, const struct isa_kernel *kernel,
                                  struct text *text),
                 struct message *message) {
  const struct isa_program *program = program_of(translation)->isa;
  struct text text = {0};
  for (size_t i = 0; i < program->kernel_count; i++) {
    if (i)
      text_print(&text, "\n");
    list_one(program, &program->kernels[i], &text);
  }
  bool good = console_output(list_one == interleave_kernel ? translation->output : NULL, text.data ? text.data : "",
                             text.length, message);
  free(text.data);
  return good;
}

static bool disassemble(const struct isa_program *program, const char *path, struct message *message) {
  char *text = isa_disassemble(program);
  if (!text)
    return message_fail(message, "out of memory");
  bool good = console_output(path, text, strlen(text), message);
  free(text);
  return good;
}

static bool load(struct translation *translation) {
  struct program *program = &translation->program;
  const struct program_build *build = &translation->build;
  bool inside = false;
  for (size_t i = 0; i < build->includes.count; i++)
    reads_folder(build->reads, build->includes.word[i]);
  if (strcmp(file_extension(translation->input), ".json") == 0)
    return launch_load(translation->input, &(struct job_request){.build = *build, .program_only = true},
                       &translation->job, &translation->message);
  char *before = reads_begin(build->reads, translation->input);
  const bool good = program_load(program, translation->input, build, &inside, &translation->message);
  reads_end(build->reads, before);
  return good ||
         (program->blamed != OPENCL_SOURCE && message_within(&translation->message, program_option(program->blamed)));
}

/* Loads the program that the command names. */
static bool begin(struct command *command, struct translation *translation) {
  terminal_open(&translation->terminal, false);
  translation->input = command_operand(command, 0);
  translation->output = command_word(command, OPTION_OUT);
  translation->spirv = command_word(command, OPTION_SPIRV);
  translation->assembly = command_has(command, OPTION_ASSEMBLY);
  translation->build.reads = &translation->reads;
  translation->build.caller = &translation->terminal.caller;
  reads_take(command, &translation->reads);
  if (!build_take(command, &translation->build, &translation->message) || !load(translation))
    return false;
  const struct program_words *defines = &translation->build.defines;
  program_tell_unmentioned(program_of(translation), defines,
                           translation->job.file ? &translation->job.build.defines : defines, &console_caller);
  return true;
}

/* Kernels that the result lacks are no failure, as long as there is one, but told. */
static void tell_refusals(const struct translation *translation) {
  struct message message;
  const struct opencl_refusals *refusals = &program_of(translation)->refusals;
  for (size_t i = 0; i < refusals->count; i++) {
    const struct opencl_refusal *refusal = &refusals->row[i];
    message_fail(&message, "kernel '%s' is left out: %s", refusal->kernel, refusal->error.text);
    message_print(&message);
  }
}

static int end(struct translation *translation, bool good) {
  if (good)
    tell_refusals(translation);
  program_free(&translation->program);
  reads_free(&translation->reads);
  job_free(&translation->job);
  program_build_free(&translation->build);
  return good ? STATUS_FINE : console_bad_input(&translation->message);
}

/* What was lowered, or was to be: it is written even if that failed. */
static bool write_spirv(const struct translation *translation, struct message *message) {
  const struct program *program = program_of(translation);
  if (program->spirv)
    return output_write(translation->spirv, (const char *)program->spirv, program->spirv_bytes, message);
  return message_fail(message, "--spirv: there is none of '%s': only .cl becomes SPIR-V", translation->input);
}

static bool write_results(const struct translation *translation, struct message *message) {
  const struct isa_program *program = program_of(translation)->isa;
  if (translation->output)
    return write_object(program, translation->output, message);
  return translation->spirv || list(translation, list_kernel, message);
}

static bool list_reads(struct translation *translation) {
  struct text text = {0};
  reads_print(&translation->reads, &text);
  const bool good = sink_text(&console_sink, &text, &translation->message);
  free(text.data);
  return good;
}

int verb_asm(struct command *command) {
  struct translation translation = {0};
  bool good = begin(command, &translation);
  if (good && translation.reads.listed)
    return end(&translation, list_reads(&translation));
  struct message second; /* the first thing that went wrong is told */
  if (translation.spirv && (good || program_of(&translation)->spirv))
    good &= write_spirv(&translation, good ? &translation.message : &second);
  good = good && write_results(&translation, &translation.message);
  return end(&translation, good);
}

/* Assembly, and object files made of it, become assembly again; others are shown beside their source, unless assembly
 * is asked for. */
int verb_dis(struct command *command) {
  struct translation translation = {0};
  bool good = begin(command, &translation);
  if (good && translation.reads.listed)
    return end(&translation, list_reads(&translation));
  if (good && !translation.assembly && (program_of(&translation)->spirv || has_source(program_of(&translation)->isa)))
    good = list(&translation, interleave_kernel, &translation.message);
  else if (good)
    good = disassemble(program_of(&translation)->isa, translation.output, &translation.message);
  return end(&translation, good);
}
