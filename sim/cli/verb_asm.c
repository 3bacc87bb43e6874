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
#include "sim/report/listing.h"
#include "sim/session/launch.h"
#include "sim/session/machines.h"
#include "sim/session/program.h"

struct translation {
  struct message message;
  const char *input, *output, *spirv;
  bool assembly;
  struct terminal terminal; /* waits for the compiler, and hears signals meanwhile */
  struct program_build build;
  struct machine machine; /* for which it is compiled */
  bool explains;
  struct opencl_explanation explanation;
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

static bool list(const struct translation *translation, const char *path,
                 void (*print)(const struct isa_program *program, struct text *text), struct message *message) {
  struct text text = {0};
  print(program_of(translation)->isa, &text);
  const bool good = console_output(path, text.data ? text.data : "", text.length, message);
  free(text.data);
  return good;
}

static bool explain(const struct translation *translation, const char *path, struct message *message) {
  const struct program *program = program_of(translation);
  struct text text = {0};
  if (!program->spirv)
    return message_fail(message, "--explain-passes: '%s' is not compiled: only .cl and .spv are", translation->input);
  listing_passes(program->isa, &translation->explanation, &text);
  const bool good = console_output(path, text.data, text.length, message);
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

static bool take_machine(struct command *command, struct translation *translation) {
  const char *name = command_word(command, OPTION_MACHINE);
  const struct words sets = command_words(command, OPTION_SET);
  const struct job_request request = {.set = sets.word, .set_count = sets.count};
  translation->build.isa = &translation->machine.isa;
  const bool good = (machine_load(name ? name : "teaching", NULL, NULL, &translation->machine, &translation->message) ||
                     message_within(&translation->message, "--machine")) &&
                    job_machine(&request, &translation->machine, &translation->message);
  free(sets.word);
  return good;
}

/* Loads the program that the command names. */
static bool begin(struct command *command, struct translation *translation) {
  terminal_open(&translation->terminal, false);
  translation->input = command_operand(command, 0);
  translation->output = command_word(command, OPTION_OUT);
  translation->spirv = command_word(command, OPTION_SPIRV);
  translation->assembly = command_has(command, OPTION_ASSEMBLY);
  translation->explains = command_has(command, OPTION_EXPLAIN_PASSES);
  translation->build.explanation = translation->explains ? &translation->explanation : NULL;
  translation->build.reads = &translation->reads;
  translation->build.caller = &translation->terminal.caller;
  reads_options(command, &translation->reads);
  if (!build_take(command, &translation->build, &translation->message) || !take_machine(command, translation) ||
      !load(translation))
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

/* With the list of --files, if that is what was asked for. */
static int end(struct translation *translation, bool good) {
  struct text text = {0};
  if (good)
    tell_refusals(translation);
  if (good && translation->reads.listed)
    reads_print(&translation->reads, &text);
  opencl_explanation_free(&translation->explanation);
  program_free(&translation->program);
  reads_free(&translation->reads);
  job_free(&translation->job);
  program_build_free(&translation->build);
  return cli_end(&text, good, &translation->message);
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
  return translation->spirv || list(translation, NULL, listing_plain, message);
}

int verb_asm(struct command *command) {
  struct translation translation = {0};
  bool good = begin(command, &translation);
  if (translation.reads.listed)
    return end(&translation, good);
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
  if (translation.reads.listed)
    return end(&translation, good);
  if (good && translation.explains)
    good = explain(&translation, translation.output, &translation.message);
  else if (good && !translation.assembly &&
           (program_of(&translation)->spirv || listing_has_source(program_of(&translation)->isa)))
    good = list(&translation, translation.output, listing_beside_source, &translation.message);
  else if (good)
    good = disassemble(program_of(&translation)->isa, translation.output, &translation.message);
  return end(&translation, good);
}
