#include "sim/cli/trace_verbs.h"

#include "sim/base/file.h"

enum trace_open_mode trace_mode(struct command *command) {
  return command_has(command, OPTION_SALVAGE) ? TRACE_SALVAGE : TRACE_WHOLE;
}

bool trace_take(struct command *command, struct trace_call *call) {
  call->mode = trace_mode(command);
  return console_input(command_operand(command, 0), &call->path, &call->message);
}

bool trace_write_file(const char *path, bool (*write)(void *self, int file, const char *name, struct message *message),
                      void *self, struct message *message) {
  struct output file;
  if (!output_begin(&file, path, message))
    return false;
  const bool good =
      file.temporary
          ? write(self, output_duplicate(&file), path, message) && trace_can_be_replayed(file.temporary, path, message)
          : message_fail(message, "%s: cannot be written: a trace can only be an ordinary file", path);
  return output_end(&file, good, message);
}
