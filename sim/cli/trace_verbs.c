#include "sim/cli/trace_verbs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"

error_t trace_number(struct argp_state *state, const char *option, const char *word, uint64_t minimum,
                     uint64_t *number) {
  return cli_number(state, option, word, minimum, UINT32_MAX, "", number);
}

error_t trace_option(int key, const char *word, struct argp_state *state) {
  struct trace_call *call = state->input;
  switch (key) {
  case KEY_SALVAGE:
    call->salvage = true;
    return 0;
  case ARGP_KEY_ARG:
    if (call->path)
      return cli_refuse(state, "%.60s: one trace is enough", word);
    return cli_input(state, word, &call->path);
  case ARGP_KEY_END:
    return call->path ? 0 : cli_refuse(state, "a trace is missing; --help says more");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

bool trace_write_file(const char *path, bool (*write)(void *self, int file, const char *name, struct message *message),
                      void *self, struct message *message) {
  struct output file;
  if (!output_begin(&file, path, message))
    return false;
  const bool good = file.temporary
                        ? write(self, output_duplicate(&file), path, message) && trace_can_be_replayed(file.temporary, path, message)
                        : message_fail(message, "%s: cannot be written: a trace can only be an ordinary file", path);
  return output_end(&file, good, message);
}
