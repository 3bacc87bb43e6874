#include "sim/cli/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sim/core/need.h"

/* ---- progress: only for a person who waits ---------------------------------------------------- */

enum { FIRST_TOLD_MS = 1000, TOLD_EVERY_MS = 200 };

struct teller {
  uint64_t next; /* milliseconds: when to tell again */
  bool told;
};

static uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void tell(void *context, cycle_t cycles, uint64_t done, uint64_t groups) {
  struct teller *teller = context;
  uint64_t now = milliseconds();
  if (now < teller->next)
    return;
  teller->next = now + TOLD_EVERY_MS;
  teller->told = true;
  fprintf(stderr, "\rcycle %" PRIu64 ", %" PRIu64 " of %" PRIu64 " work-groups \x1b[K", cycles, done, groups);
}

/* ---- the run ----------------------------------------------------------------------------------- */

static struct host *make_host(struct simulation *simulation, const struct run_options *options, uint32_t clock_mhz,
                              struct message *message) {
  size_t count = 0;
  const char *why = "out of memory";
  struct island **islands = simulation_islands(simulation, &count);
  struct host *host = options->systemc ? host_systemc(islands, count, options->vcd, clock_mhz, &why)
                                       : host_plain(islands, count, options->order, options->seed);
  if (!host)
    message_fail(message, "--host: %s", why);
  return host;
}

static bool run_launches(struct job *job, struct simulation *simulation, struct host *host,
                         const struct run_options *options, struct launch_result *results, size_t *count,
                         struct message *message) {
  struct teller teller = {milliseconds() + FIRST_TOLD_MS, false};
  const struct progress progress = {tell, &teller};
  bool watched = !options->quiet && isatty(STDERR_FILENO), good = true;
  for (*count = 0; good && *count < job->launch_count; ++*count) {
    struct job_launch *launch = &job->launches[*count];
    struct print_log log = {.limit = PRINTED_BYTES};
    launch->isa.print = print_log_take;
    launch->isa.print_context = &log;
    good = simulation_run(simulation, host, &launch->isa, options->max_cycles, watched ? &progress : NULL,
                          &results[*count]);
    launch->printed = print_log_finish(&log);
    launch->isa.print = NULL;
    if (!good) {
      message_fail(message, "launch %zu: out of memory", *count + 1);
      break;
    }
    if (results[*count].end != END_FINISHED) {
      ++*count;
      break;
    }
  }
  if (teller.told)
    fputs("\r\x1b[K", stderr);
  return good;
}

bool run_job(struct job *job, const struct run_options *options, struct launch_result **results, size_t *count,
             struct message *message) {
  *results = need(job->launch_count, sizeof **results);
  *count = 0;
  if (!job_variables(job, message))
    return false;
  struct simulation *simulation = simulation_new(&job->machine);
  if (!simulation)
    return message_fail(message, "no memory for machine '%s'", job->machine.name);
  if (options->vcd)
    simulation_show_every_cycle(simulation);
  struct host *host = make_host(simulation, options, job->machine.cu.clock_mhz, message);
  bool good = host && run_launches(job, simulation, host, options, *results, count, message);
  if (host)
    host->free(host);
  simulation_free(simulation);
  return good;
}

void run_free(struct launch_result *results, size_t count) {
  for (size_t i = 0; i < count; i++)
    launch_result_free(&results[i]);
  free(results);
}
