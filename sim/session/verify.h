/* Checks: does memory contain what the launch file expects, and were the expected hazards reported? */
#ifndef SIM_SESSION_VERIFY_H
#define SIM_SESSION_VERIFY_H

#include "models/result.h"
#include "sim/launch/job.h"

struct verdict {
  const char *what; /* a buffer's name, or "expect_diagnostic" */
  const char *mode; /* of the check, or "hazards" */
  bool passed;
  char text[400]; /* the first difference, if any */
};

/* One verdict per check, and one for expect_diagnostic if present; the caller frees them. */
struct verdict *verify_job(const struct job *job, const struct launch_result *results, size_t result_count,
                           size_t *count);

#endif
