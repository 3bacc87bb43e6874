/* Environment variables. All are read here, at each call. */
#ifndef SIM_BASE_ENVIRONMENT_H
#define SIM_BASE_ENVIRONMENT_H

#define ENVIRONMENT(ROW)                                                                                               \
  ROW(TMPDIR, "the folder of files that are not to stay: recordings, headers for the compiler")                        \
  ROW(WARPWAIT_CACHE, "the folder of what OpenCL C was translated to")                                                 \
  ROW(XDG_CACHE_HOME, "the folder of all caches, if that is not said")                                                 \
  ROW(HOME, "the folder whose .cache that is, if neither is said")                                                     \
  ROW(WARPWAIT_CLANG, "the compiler, in place of clang-15")                                                            \
  ROW(WARPWAIT_LLVM_SPIRV, "the translator, in place of llvm-spirv-15")                                                \
  ROW(PATH, "where both are")                                                                                          \
  ROW(LD_LIBRARY_PATH, "where their libraries are")

enum environment {
#define ROW(name, ...) ENVIRONMENT_##name,
  ENVIRONMENT(ROW)
#undef ROW
};

/* The name of a variable, and its value; NULL if it is not set. */
const char *environment_name(enum environment variable);
const char *environment(enum environment variable);

/* The folder for temporary files: TMPDIR, or /tmp. */
const char *environment_temporary(void);

#endif
