#include "tools/verbs/job_options.h"

#include "sim/base/need.h"
#include "sim/cli/cli.h"

static void say_all(struct command *command, enum option option, struct program_words *words) {
  size_t at = 0;
  for (const char *word; (word = command_next(command, option, &at));)
    program_say(words, word);
}

/* Passes on the values that the build checks. Its messages lack the option's name, so adds it. */
static bool take_checked(struct command *command, struct program_build *build, struct message *message) {
  static const struct {
    enum option id;
    const char *name;
    bool (*take)(const char *word, struct program_build *build, struct message *message);
  } rows[] = {{OPTION_COPIES, "--copies", program_copies},
              {OPTION_REGISTERS, "--registers", program_registers},
              {OPTION_OPTIMIZE, "--optimize", program_optimize},
              {OPTION_WITHOUT, "--without", program_without}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t at = 0;
    for (const char *word; (word = command_next(command, rows[i].id, &at));)
      if (!rows[i].take(word, build, message))
        return message_within(message, rows[i].name);
  }
  return true;
}

bool build_take(struct command *command, struct program_build *build, struct message *message) {
  const char *standard = command_word(command, OPTION_CL_STD);
  say_all(command, OPTION_DEFINE, &build->defines);
  say_all(command, OPTION_INCLUDE, &build->includes);
  say_all(command, OPTION_BUILD_OPTION, &build->options);
  build->standard = standard ? need_copy(standard) : NULL;
  build->no_cache = command_has(command, OPTION_NO_CACHE);
  return take_checked(command, build, message);
}

void reads_options(struct command *command, struct reads *reads) {
  reads->listed = command_has(command, OPTION_FILES);
  reads->confined = command_has(command, OPTION_CONFINED);
}

bool job_take(struct command *command, struct subject *subject, struct message *message) {
  subject->direct = (struct direct){.program = command_operand(command, 0),
                                    .kernel = command_word(command, OPTION_KERNEL),
                                    .global = command_word(command, OPTION_GLOBAL),
                                    .local = command_word(command, OPTION_LOCAL),
                                    .offset = command_word(command, OPTION_OFFSET)};
  subject->args = command_words(command, OPTION_ARG);
  subject->build.reads = &subject->reads;
  reads_options(command, &subject->reads);
  return build_take(command, &subject->build, message);
}

bool job_load(struct subject *subject, struct run_call *call, bool verify, struct job *job) {
  const struct machine_request machine = {.name = call->machine, .set = call->sets.word, .set_count = call->sets.count};
  subject->build.caller = call->run.caller;
  return subject_load(subject, &machine, verify, job, &call->message);
}

int job_options_list(const struct reads *reads, struct message *message) {
  struct text text = {0};
  reads_print(reads, &text);
  return cli_end(&text, true, message);
}
