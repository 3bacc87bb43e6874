/* warpwait asm, warpwait dis: the two directions between assembly and object files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/file.h"
#include "sim/cli/job.h"
#include "sim/cli/text.h"

struct translation {
  struct message message; /* first: see cli_parse() */
  const char *input, *output;
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct translation *translation = state->input;
  switch (key) {
  case 'o':
    translation->output = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (translation->input)
      return cli_refuse(state, "%.60s: one FILE is enough", arg);
    translation->input = arg;
    return 0;
  case ARGP_KEY_END:
    return translation->input ? 0 : cli_refuse(state, "FILE is missing; --help says more");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bool write_object(const struct isa_program *program, const char *path, struct message *message) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  if (!isa_encode(program, &bytes, &size))
    return message_fail(message, "out of memory");
  bool good = file_write(path, bytes, size, message);
  free(bytes);
  return good;
}

/* A line an instruction: its number, its source line, itself. */
static void list_kernel(const struct isa_program *program, const struct isa_kernel *kernel, struct text *text) {
  text_print(text, "kernel %s: %u registers, %u bytes of LDS, %u private bytes a lane\n", kernel->name,
             kernel->registers, kernel->lds_bytes, kernel->private_bytes);
  for (size_t i = 0; i < kernel->arg_count; i++)
    text_print(text, "  argument %zu  %-8s %s\n", i + 1, kernel->args[i].type, kernel->args[i].name);
  text_print(text, "%6s %6s  %-10s %s\n", "pc", "line", "class", "instruction");
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
    char line[256];
    isa_print(program, pc, line, sizeof line);
    text_print(text, "%6u %6u  %-10s %s\n", pc, program->line[pc],
               isa_class_name((enum isa_class)program->info[pc].class_), line);
  }
}

static bool list(const struct isa_program *program, struct message *message) {
  struct text text = {0};
  for (size_t i = 0; i < program->kernel_count; i++)
    list_kernel(program, &program->kernels[i], &text);
  bool good = cli_output(NULL, text.data ? text.data : "", text.length, message);
  free(text.data);
  return good;
}

static bool disassemble(const struct isa_program *program, const char *path, struct message *message) {
  char *text = isa_disassemble(program);
  if (!text)
    return message_fail(message, "out of memory");
  bool good = cli_output(path, text, strlen(text), message);
  free(text);
  return good;
}

int verb_asm(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"output", 'o', "OUT.wwo", 0, "Write an object file; without it, list the instructions", 0}, {0}};
  static const struct argp argp = {options, parse_option, "KERNEL.wws", "Assembles a kernel.", NULL, NULL, NULL};
  struct translation translation = {0};
  struct message *message = &translation.message;
  struct job job = {0};
  bool inside;
  bool good = cli_parse(&argp, argc, argv, message) && job_program(&job, translation.input, &inside, message);
  good = good &&
         (translation.output ? write_object(job.program, translation.output, message) : list(job.program, message));
  job_free(&job);
  return good ? CLI_FINE : cli_bad_input(message);
}

int verb_dis(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"output", 'o', "OUT.wws", 0, "Write to a file instead of standard output", 0}, {0}};
  static const struct argp argp = {options, parse_option, "FILE.wwo", "Turns an object file back into assembly.",
                                   NULL,    NULL,         NULL};
  struct translation translation = {0};
  struct message *message = &translation.message;
  struct job job = {0};
  bool inside;
  bool good = cli_parse(&argp, argc, argv, message) && job_program(&job, translation.input, &inside, message) &&
              disassemble(job.program, translation.output, message);
  job_free(&job);
  return good ? CLI_FINE : cli_bad_input(message);
}
