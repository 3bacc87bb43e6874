/* warpwait asm, warpwait dis: programs to object files and listings, and back to assembly. */
#include <stdlib.h>

#include "models/machine.h"
#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/cli/terminal.h"
#include "sim/launch/launch_file.h"
#include "sim/launch/machines.h"
#include "sim/report/listing.h"
#include "tools/verbs/job_options.h"

struct translation {
  struct message message;
  const char *input, *output, *spirv;
  struct terminal terminal; /* waits for the compiler, and handles signals meanwhile */
  struct program_build build;
  struct machine machine; /* the machine to compile for */
  struct opencl_explanation explanation;
  struct reads reads;
  struct job job; /* the program only; if `input` is a launch file, also its build */
};

static const struct program *program_of(const struct translation *translation) { return &translation->job.program; }

static bool write_object(const struct isa_program *program, const char *path, struct message *message) {
  size_t size = 0;
  uint8_t *bytes = isa_encode(program, &size);
  const bool good = output_write(path, bytes, size, message);
  free(bytes);
  return good;
}

static bool list(const struct translation *translation, const char *path,
                 void (*print)(const struct isa_program *program, struct text *text), struct message *message) {
  struct text text = {0};
  if (translation->build.explanation)
    listing_passes(program_of(translation)->isa, &translation->explanation, &text);
  else
    print(program_of(translation)->isa, &text);
  const bool good = console_output(path, text.data ? text.data : "", text.length, message);
  free(text.data);
  return good;
}

static bool take_machine(struct command *command, struct translation *translation) {
  const struct words sets = command_words(command, OPTION_SET);
  const struct machine_request request = {
      .name = command_word(command, OPTION_MACHINE), .set = sets.word, .set_count = sets.count};
  translation->build.isa = &translation->machine.isa;
  const bool good = machine_choose(&request, NULL, NULL, NULL, &translation->machine, &translation->message) &&
                    machine_adjust(&request, &translation->machine, &translation->message);
  free(sets.word);
  return good;
}

/* Loads the program that the command names. */
static bool begin(struct command *command, struct translation *translation) {
  terminal_open(&translation->terminal, false);
  translation->input = command_operand(command, 0);
  translation->output = command_word(command, OPTION_OUT);
  translation->spirv = command_word(command, OPTION_SPIRV);
  translation->build.explanation = command_has(command, OPTION_EXPLAIN_PASSES) ? &translation->explanation : NULL;
  translation->build.reads = &translation->reads;
  translation->build.caller = &translation->terminal.caller;
  reads_options(command, &translation->reads);
  if (!build_take(command, &translation->build, &translation->message) || !take_machine(command, translation) ||
      !launch_program(translation->input, &translation->build, &translation->job, &translation->message))
    return false;
  const struct program_words *defines = &translation->build.defines;
  program_report_unmentioned(program_of(translation), defines,
                             translation->job.file ? &translation->job.build.defines : defines, &console_caller);
  return true;
}

/* Prints the list of --files if requested. */
static int end(struct translation *translation, bool good) {
  struct text text = {0};
  if (good) /* kernels missing from the result are reported, but are no failure if at least one is left */
    program_report_refusals(program_of(translation), &console_caller);
  if (good && translation->reads.listed)
    reads_print(&translation->reads, &text);
  opencl_explanation_free(&translation->explanation);
  reads_free(&translation->reads);
  job_free(&translation->job);
  program_build_free(&translation->build);
  return cli_end(&text, good, &translation->message);
}

/* The SPIR-V from clang; it is written even if lowering it failed. */
static bool write_spirv(const struct translation *translation, struct message *message) {
  const struct program *program = program_of(translation);
  if (program->spirv)
    return output_write(translation->spirv, (const char *)program->spirv, program->spirv_bytes, message);
  return message_fail(message, "--spirv: '%s' has no SPIR-V; only .cl is compiled to SPIR-V", translation->input);
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
  struct message second; /* ignored: only the first error is reported */
  if (translation.spirv && (good || program_of(&translation)->spirv))
    good &= write_spirv(&translation, good ? &translation.message : &second);
  good = good && write_results(&translation, &translation.message);
  return end(&translation, good);
}

/* Assembly, and object files made from it, become assembly again. Others are shown with their source, unless --assembly
 * is given. */
int verb_dis(struct command *command) {
  struct translation translation = {0};
  bool good = begin(command, &translation);
  if (translation.reads.listed)
    return end(&translation, good);
  const struct program *program = program_of(&translation);
  const bool beside =
      good && !command_has(command, OPTION_ASSEMBLY) && (program->spirv || listing_has_source(program->isa));
  if (good && translation.build.explanation && !program->spirv)
    good = message_fail(&translation.message, "--explain-passes: '%s' is not compiled; only .cl, .spv, .ll and .bc are",
                        translation.input);
  good = good && list(&translation, translation.output, beside ? listing_beside_source : listing_assembly,
                      &translation.message);
  return end(&translation, good);
}
