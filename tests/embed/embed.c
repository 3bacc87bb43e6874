/* A program that has the library and nothing else: it runs a launch file, asks what bounds it, and prints the report as
 * JSON. C, and linked by the C compiler: embed.py looks at what it needs.
 *
 * usage: embed LAUNCH.json */
#include <stdio.h>
#include <stdlib.h>

#include "sim/explain/why.h"
#include "sim/session/subject.h"

static int fail(const struct message *message) {
  fprintf(stderr, "%s\n", message->text);
  return 1;
}

int main(int argc, char **argv) {
  const struct run_options how = {.max_cycles = RUN_MAX_CYCLES};
  struct subject subject = {.direct.program = argc == 2 ? argv[1] : ""};
  const struct why_subject again = {.load_on = subject_load_on, .self = &subject};
  struct message message = {""};
  struct job job = {0};
  struct report report = {.job = &job};
  struct launch_result *results = NULL;
  int status = 0;
  if (!subject_load(&subject, &(struct subject_machine){0}, false, &job, &message) ||
      !run_job(&job, &how, &results, &report.count, &message))
    return fail(&message);
  report.results = results;
  if (!why_find(WHY_ALWAYS, &how, &report, &again, &status, &message))
    return fail(&message);
  char *text = report_json(&report);
  fputs(text, stdout);
  free(text);
  why_free(&report);
  run_free(results, report.count);
  job_free(&job);
  subject_free(&subject);
  return 0;
}
