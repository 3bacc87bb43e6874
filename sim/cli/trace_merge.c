/* warpwait trace merge: the launches of several traces, one after the other or at once, as a trace. */
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/trace_verbs.h"
#include "sim/tracetools/merge.h"

static bool take(struct command *command, struct trace_merge *wishes, struct message *message) {
  size_t at = 0;
  wishes->together = command_has(command, OPTION_TOGETHER);
  wishes->mode = trace_mode(command);
  for (const char *word; (word = command_next(command, OPTION_MEMORY, &at));) {
    wishes->memory = strcmp(word, "shared") == 0 ? TRACE_MEMORY_SHARED : TRACE_MEMORY_APART;
    if (wishes->memory == TRACE_MEMORY_APART && strcmp(word, "apart") != 0)
      return message_fail(message, "--memory: '%.60s' is neither shared nor apart", word);
  }
  if (!command_has(command, OPTION_OUT))
    return message_fail(message, "-o FILE is missing: the trace to write");
  for (const char *word; (word = command_operand(command, wishes->count)); wishes->count++)
    if (!console_input(word, &wishes->path[wishes->count], message))
      return false;
  return true;
}

static bool write_merged(void *self, int file, const char *name, struct message *message) {
  return trace_merge(self, file, name, &console_caller, message);
}

static bool merge(struct trace_merge *wishes, const char *out, struct message *message) {
  for (size_t i = 0; i < wishes->count; i++)
    if (file_is_same(wishes->path[i], out))
      return message_fail(message, "%s: is an input, too", out);
  return trace_write_file(out, write_merged, wishes, message);
}

int verb_trace_merge(struct command *command) {
  struct trace_merge wishes = {0};
  struct message message;
  const bool good = take(command, &wishes, &message) && merge(&wishes, command_word(command, OPTION_OUT), &message);
  return good ? STATUS_FINE : console_bad_input(&message);
}
