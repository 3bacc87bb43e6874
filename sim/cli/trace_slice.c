/* warpwait trace slice: some launches of a trace, or some work-groups of them, as a trace. */
#include "sim/tracetools/slice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/trace_verbs.h"

static bool read_range(const char *option, const char *word, uint64_t minimum, struct trace_range *range,
                       struct message *message) {
  const size_t length = strcspn(word, "-");
  char first[32];
  snprintf(first, sizeof first, "%.*s", (int)(length < 31 ? length : 31), word);
  bool good = read_number(option, first, minimum, UINT32_MAX, "", &range->first, message);
  range->given = true;
  range->last = range->first;
  if (good && word[length])
    good = read_number(option, word + length + 1, minimum, UINT32_MAX, "", &range->last, message);
  if (!good)
    return message_fail(message,
                        "%s: '%.60s' is not a whole number in [%" PRIu64 ", %u], or a range of them such as 2-5",
                        option, word, minimum, UINT32_MAX);
  return range->last >= range->first || message_fail(message, "%s: '%.60s' ends before it begins", option, word);
}

static bool take_ranges(struct command *command, struct trace_slice *wishes, struct message *message) {
  size_t at = 0;
  for (const char *word; (word = command_next(command, OPTION_LAUNCH, &at));)
    if (!read_range("--launch", word, 1, &wishes->launches, message))
      return false;
  at = 0;
  for (const char *word; (word = command_next(command, OPTION_GROUP, &at));)
    if (!read_range("--group", word, 0, &wishes->groups, message))
      return false;
  return true;
}

static bool take(struct command *command, struct trace_slice *wishes, const char *out, struct message *message) {
  wishes->to = NEVER;
  wishes->window =
      command_number(command, OPTION_FROM, &wishes->from) | command_number(command, OPTION_TO, &wishes->to);
  wishes->mode = trace_mode(command);
  if (!take_ranges(command, wishes, message))
    return false;
  if (!out)
    return message_fail(message, "-o FILE is missing: the trace to write");
  if (wishes->from >= wishes->to)
    return message_fail(message, "--to: %" PRIu64 " is not after --from, %" PRIu64, wishes->to, wishes->from);
  return console_input(command_operand(command, 0), &wishes->path, message);
}

static bool write_slice(void *self, int file, const char *name, struct message *message) {
  return trace_slice(self, file, name, &console_caller, message);
}

static bool slice(struct trace_slice *wishes, const char *out, struct message *message) {
  if (file_is_same(wishes->path, out))
    return message_fail(message, "%s: is an input, too", out);
  return trace_write_file(out, write_slice, wishes, message);
}

int verb_trace_slice(struct command *command) {
  struct trace_slice wishes = {0};
  struct message message;
  const char *out = command_word(command, OPTION_OUT);
  const bool good = take(command, &wishes, out, &message) && slice(&wishes, out, &message);
  return good ? STATUS_FINE : console_bad_input(&message);
}
