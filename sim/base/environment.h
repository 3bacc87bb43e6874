/* What the environment says: read here and nowhere else, each time that it is asked for. */
#ifndef SIM_BASE_ENVIRONMENT_H
#define SIM_BASE_ENVIRONMENT_H

#define ENVIRONMENT(ROW)                                                                                               \
  ROW(TMPDIR, "the folder for temporary files: recordings, headers for the compiler")                                  \
  ROW(WARPWAIT_CACHE, "the folder of cached translations of OpenCL C")                                                 \
  ROW(XDG_CACHE_HOME, "the folder of all caches, if that is unset")                                                    \
  ROW(HOME, "the folder whose .cache is used if both are unset")                                                       \
  ROW(WARPWAIT_CLANG, "the compiler to use instead of clang-15")                                                       \
  ROW(WARPWAIT_LLVM_SPIRV, "the translator to use instead of llvm-spirv-15")                                           \
  ROW(PATH, "where to look for both")                                                                                  \
  ROW(LD_LIBRARY_PATH, "where to look for their libraries")

enum environment {
#define ROW(name, ...) ENVIRONMENT_##name,
  ENVIRONMENT(ROW)
#undef ROW
};

/* The name of a variable, and its value; NULL: it is not said. */
const char *environment_name(enum environment variable);
const char *environment(enum environment variable);

/* The folder of files that are not to stay: /tmp if nothing is said. */
const char *environment_temporary(void);

#endif
