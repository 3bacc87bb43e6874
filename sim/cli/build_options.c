#include "sim/cli/build_options.h"

#include <stdlib.h>

#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/cli/cli.h"

/* Each says what is wrong without the option's name. */
static error_t refused(bool good, const char *option, struct argp_state *state, const struct message *message) {
  return good ? 0 : cli_refuse(state, "%s: %s", option, message->text);
}

error_t build_option(int key, const char *word, struct argp_state *state, struct program_build *build) {
  struct message message;
  switch (key) {
  case 'D':
    program_say(&build->defines, word);
    return 0;
  case 'I':
    program_say(&build->includes, word);
    return 0;
  case KEY_CL_STD:
    free(build->standard);
    build->standard = need_copy(word);
    return 0;
  case KEY_BUILD_OPTION:
    program_say(&build->options, word);
    return 0;
  case KEY_ROUTE:
    return refused(program_route(word, build, &message), "--route", state, &message);
  case KEY_COPIES:
    return refused(program_copies(word, build, &message), "--copies", state, &message);
  case KEY_REGISTERS:
    return refused(program_registers(word, build, &message), "--registers", state, &message);
  case KEY_NO_CACHE:
    build->no_cache = true;
    return 0;
  case KEY_FILES:
    build->reads->listed = true;
    return 0;
  case KEY_CONFINED:
    build->reads->confined = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}
