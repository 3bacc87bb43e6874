/* Options of the command line that say how OpenCL C is built: the same for every verb that takes a program. */
#ifndef SIM_CLI_BUILD_OPTIONS_H
#define SIM_CLI_BUILD_OPTIONS_H

#include <argp.h>

#include "sim/session/program.h"

enum {
  KEY_CL_STD = 512,
  KEY_BUILD_OPTION,
  KEY_ROUTE,
  KEY_COPIES,
  KEY_REGISTERS,
  KEY_NO_CACHE,
  KEY_FILES,
  KEY_CONFINED,
};

/* Rows of a table of options, in this group. */
#define BUILD_OPTIONS(group)                                                                                           \
  {NULL, 0, NULL, 0, "OpenCL C:", group}, {"define", 'D', "NAME[=VALUE]", 0, "Define a macro (repeatable)", group},    \
      {"include", 'I', "DIR", 0, "Look there for included files (repeatable)", group},                                 \
      {"cl-std", KEY_CL_STD, "STD", 0, "The standard: CL1.2, CL2.0 (default), CL3.0, ...", group},                     \
      {"build-option", KEY_BUILD_OPTION, "WORD", 0, "A further option for clang (repeatable)", group},                 \
      {"route", KEY_ROUTE, "ssa|O0|O2", 0, "How clang optimises: only into SSA form (default), not at all, fully",     \
       group},                                                                                                         \
      {"copies",                                                                                                       \
       KEY_COPIES,                                                                                                     \
       "machine|loop",                                                                                                 \
       0,                                                                                                              \
       "Asynchronous copies: instructions, for the machine (default), or loops of loads and stores",                   \
       group},                                                                                                         \
      {"registers", KEY_REGISTERS, "N", 0, "Most registers of a lane, 16 to 255; values beyond are spilled", group}, { \
    "no-cache", KEY_NO_CACHE, NULL, 0, "Compile even if the result is kept from before", group                         \
  }
#define READ_OPTIONS(group)                                                                                            \
  {NULL, 0, NULL, 0, "Files that come from others:", group},                                                           \
      {"files", KEY_FILES, NULL, 0, "List the files that are read, and do nothing else", group}, {                     \
    "confined", KEY_CONFINED, NULL, 0,                                                                                 \
        "Read only files that lie in the folder of the one that leads to them, or below it", group                     \
  }

/* One option into *build, whose `reads` is there. ARGP_ERR_UNKNOWN when it is none of these; a refusal says why. */
error_t build_option(int key, const char *word, struct argp_state *state, struct program_build *build);

#endif
