/* Environment variables. All are read here, at each call. */
#ifndef SIM_BASE_ENVIRONMENT_H
#define SIM_BASE_ENVIRONMENT_H

#define ENVIRONMENT(ROW)                                                                                               \
  ROW(TMPDIR, "the folder for temporary files: recordings, headers for the compiler")                                  \
  ROW(WARPWAIT_CACHE, "the folder of cached translations of OpenCL C")                                                 \
  ROW(XDG_CACHE_HOME, "the folder of all caches, if that is unset")                                                    \
  ROW(HOME, "the folder whose .cache is used if both are unset")                                                       \
  ROW(WARPWAIT_CLANG, "the compiler to use instead of clang-15, or else the newest of clang-16 to clang-23")           \
  ROW(PATH, "where to look for it")                                                                                    \
  ROW(LD_LIBRARY_PATH, "where to look for its libraries")

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
