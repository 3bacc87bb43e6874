/* The driver's options from the environment, and the place from which it was called. */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"

static const char *word(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* 0 if it is not set or not valid. */
static uint32_t read_threads(void) {
  const char *value = word("WARPWAIT_THREADS");
  char *end = NULL;
  const unsigned long threads = value ? strtoul(value, &end, 10) : 0;
  if (!value || (!*end && threads <= WW_THREADS))
    return (uint32_t)threads;
  fprintf(stderr, "warpwait: WARPWAIT_THREADS: '%.60s' is not a whole number in [0, %d]\n", value, WW_THREADS);
  return 0;
}

/* A recorded run cannot be checked. */
static const char *read_check(void) {
  if (!word("WARPWAIT_CHECK") || !word("WARPWAIT_TRACE"))
    return word("WARPWAIT_CHECK");
  fprintf(stderr, "warpwait: WARPWAIT_CHECK: cannot be combined with WARPWAIT_TRACE; nothing is checked\n");
  return NULL;
}

/* Reads the environment once: later changes by the program have no effect. */
const struct icd_settings *icd_settings(void) {
  static struct icd_settings settings;
  static bool read;
  if (!read)
    settings = (struct icd_settings){.log = word("WARPWAIT_LOG"),
                                     .capture = word("WARPWAIT_CAPTURE"),
                                     .html = word("WARPWAIT_HTML"),
                                     .trace = word("WARPWAIT_TRACE"),
                                     .only = word("WARPWAIT_ONLY"),
                                     .check = read_check(),
                                     .functional = word("WARPWAIT_FUNCTIONAL"),
                                     .threads = read_threads()};
  read = true;
  return &settings;
}

bool icd_is_wanted(const char *kernel) {
  const char *list = icd_settings()->only;
  const size_t length = strlen(kernel);
  for (; list && *list; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == length && strncmp(list, kernel, length) == 0)
      return true;
  return !icd_settings()->only;
}

/* The innermost caller outside the driver and the OpenCL loader. */
struct icd_caller icd_find_caller(void) {
  enum { DEEPEST = 16 };
  void *frames[DEEPEST];
  Dl_info own = {0}, of = {0};
  const int count = backtrace(frames, DEEPEST);
  dladdr(&icd_dispatch, &own);
  for (int i = 0; i < count; i++)
    if (dladdr(frames[i], &of) && of.dli_fbase != own.dli_fbase && !strstr(of.dli_fname, "libOpenCL.so"))
      return (struct icd_caller){of.dli_fname, (uint64_t)((const char *)frames[i] - (const char *)of.dli_fbase)};
  return (struct icd_caller){NULL, 0};
}
