/* warpwait in a browser: the verbs of the command line that need only files. `sweep` and `trace` need other programs, a
 * database or a decompressor; `playground` would start what is already running. */
#include "sim/cli/cli.h"

int main(int argc, char **argv) {
  (void)argc;
  static verb_function *const functions[VERBS] = {
      [VERB_RUN] = verb_run,   [VERB_CHECK] = verb_check,   [VERB_EXPLAIN] = verb_explain,
      [VERB_ASM] = verb_asm,   [VERB_DIS] = verb_dis,       [VERB_REPLAY] = verb_replay,
      [VERB_DIFF] = verb_diff, [VERB_PARAMS] = verb_params, [VERB_MACHINES] = verb_machines,
  };
  return cli_run(functions, "", argv + 1);
}
