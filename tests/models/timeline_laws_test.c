/* The laws of timelines: a listener changes nothing. Which events are reported, when, and in which order within a
 * stream depends neither on the host nor on the order in which components are stepped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bindings/systemc/systemc.h"
#include "sim/core/timeline.h"
#include "tests/ct.h"
#include "tests/models/random_kernel.h"
#include "tests/models/rig.h"
#include "tests/models/rig_replay.h"

CT_FREES(struct simulation, simulation_free)

enum { KERNELS = 3, STREAMS = 128 };

/* A digest of what each stream has reported. */
struct digest {
  uint64_t streams, events[STREAMS], hash[STREAMS], backwards;
  uint64_t outcome; /* of the launches */
};

struct ear {
  struct timeline timeline;
  cycle_t last[STREAMS];
  struct digest *digest;
};

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct ear *ear = self;
  struct digest *digest = ear->digest;
  uint64_t *hash = &digest->hash[stream];
  digest->backwards += now < ear->last[stream];
  ear->last[stream] = now;
  digest->events[stream]++;
  *hash = rig_mix(*hash, &now, sizeof now);
  *hash = rig_mix(*hash, &event->kind, sizeof event->kind);
  *hash = rig_mix(*hash, &event->cu, sizeof event->cu);
  *hash = rig_mix(*hash, &event->unit, sizeof event->unit);
  *hash = rig_mix(*hash, &event->from, sizeof event->from);
  *hash = rig_mix(*hash, &event->to, sizeof event->to);
  *hash = rig_mix(*hash, event->field, sizeof event->field);
}

typedef struct host *(*host_maker)(struct island **, size_t);

static struct host *descending(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_DESCENDING, 0);
}

/* Runs the program's one or two kernels concurrently. */
static void run_kernels(struct rig *rig, struct simulation *simulation, struct host *host, cycle_t limit,
                        struct digest *digest) {
  struct launch_result results[2];
  struct isa_launch second = rig->launch, *const launches[2] = {&rig->launch, &second};
  const size_t count = rig->program->kernel_count;
  second.kernel = &rig->program->kernels[count - 1];
  simulation_run_together(simulation, host, launches, count, limit, NULL, results);
  for (size_t i = 0; i < count; i++) {
    digest->outcome = digest->outcome * 31 + rig_fingerprint(rig->program, &results[i]);
    digest->outcome = digest->outcome * 31 + results[i].trace_hash;
  }
  for (size_t i = 0; i < count; i++)
    launch_result_free(&results[i]);
}

/* Runs random kernels one after the other, alone and in pairs, on one machine; the last is cut short. `kinds` are the
 * kinds to listen to; 0: there is no listener. Compute units are built when launches reach them, except for the host
 * that has their parts in descending order. */
static bool run(unsigned machine, host_maker make, uint32_t kinds, struct digest *digest) {
  struct machine parameters;
  size_t count = 0;
  *digest = (struct digest){0};
  if (!rig_machine(&parameters, machines[machine]))
    return false;
  struct ear ear = {.timeline = {.take = take, .self = &ear, .kinds = kinds}, .digest = digest};
  ct_freed(simulation_free_at) struct simulation *simulation = simulation_new(&parameters);
  struct island **islands = simulation_islands(simulation, &count);
  if (make == descending)
    simulation_build(simulation);
  if (kinds)
    simulation_emit(simulation, &ear.timeline);
  bool ok = true;
  struct host *host = make(islands, count);
  ct_freed(ct_free) char *text = malloc(RANDOM_TEXT);
  for (unsigned i = 0; ok && host && i < KERNELS; i++) {
    ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
    *text = '\0';
    random_kernel(text, "k", machine * 100 + i);
    if (i == 1)
      random_kernel(text, "second", machine * 100 + i + 50);
    ear.timeline.launch = i;
    ok = rig_build(&rig, machines[machine], 64 + 32 * ((machine + 3 * i) % 9), 64, text);
    if (ok)
      run_kernels(&rig, simulation, host, i + 1 == KERNELS ? 500 : 10000000, digest);
  }
  digest->streams = ear.timeline.streams;
  ok = ok && host;
  if (host)
    host->free(host);
  return ok;
}

static struct host *ascending(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_ASCENDING, 0);
}
static struct host *shuffled(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_SHUFFLED, 4711);
}
static struct host *shuffled_again(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_SHUFFLED, 42);
}
static struct host *systemc(struct island **islands, size_t count) {
  const char *message = "";
  return host_systemc(islands, count, 1000, &message);
}

/* A process can have only one SystemC: a child runs it and sends the digest back. */
static bool run_systemc(unsigned machine, struct digest *digest) {
  int ends[2], status = 1;
  if (pipe(ends))
    return false;
  pid_t child = fork();
  if (child == 0) {
    bool ok = run(machine, systemc, UINT32_MAX, digest);
    _exit(ok && write(ends[1], digest, sizeof *digest) == (ssize_t)sizeof *digest ? 0 : 1);
  }
  close(ends[1]);
  bool ok = child > 0 && read(ends[0], digest, sizeof *digest) == (ssize_t)sizeof *digest;
  close(ends[0]);
  return child > 0 && waitpid(child, &status, 0) == child && ok && status == 0;
}

static void compare(unsigned machine, const char *order, const struct digest *expected, const struct digest *got) {
  ct_note("machine %u (%s), %s", machine, machines[machine], order);
  EXPECT_EQ(got->streams, expected->streams);
  EXPECT_EQ(got->outcome, expected->outcome);
  EXPECT_EQ(got->backwards, 0);
  for (unsigned stream = 0; stream < expected->streams; stream++) {
    EXPECT_EQ(got->events[stream], expected->events[stream]);
    EXPECT_EQ(got->hash[stream], expected->hash[stream]);
  }
}

TEST(timeline_laws, streams_do_not_depend_on_the_order_of_evaluation_or_the_host) {
  for (unsigned machine = 0; machine < MACHINES; machine++) {
    struct digest expected, got;
    ct_note("machine %u (%s)", machine, machines[machine]);
    ASSERT_TRUE(run(machine, ascending, UINT32_MAX, &expected));
    EXPECT_LT(expected.streams, STREAMS);
    EXPECT_EQ(expected.backwards, 0);
    ASSERT_TRUE(run(machine, descending, UINT32_MAX, &got));
    compare(machine, "descending", &expected, &got);
    ASSERT_TRUE(run(machine, shuffled, UINT32_MAX, &got));
    compare(machine, "shuffled", &expected, &got);
    ASSERT_TRUE(run(machine, shuffled_again, UINT32_MAX, &got));
    compare(machine, "shuffled again", &expected, &got);
    ASSERT_TRUE(run_systemc(machine, &got));
    compare(machine, "SystemC", &expected, &got);
  }
}

TEST(timeline_laws, recording_a_timeline_changes_nothing) {
  for (unsigned machine = 0; machine < MACHINES; machine++) {
    struct digest with, without;
    ct_note("machine %u (%s)", machine, machines[machine]);
    ASSERT_TRUE(run(machine, ascending, UINT32_MAX, &with));
    ASSERT_TRUE(run(machine, ascending, 0, &without));
    EXPECT_EQ(with.outcome, without.outcome);
    EXPECT_EQ(without.streams, 0);
  }
}

TEST(timeline_laws, unrequested_kinds_are_omitted_and_change_no_other) {
  enum { ALL = (1u << TIMELINE_KINDS) - 1 };
  struct digest all, got;
  uint64_t events = 0, of_kinds = 0;
  ASSERT_TRUE(run(3, ascending, ALL, &all));
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
    ASSERT_TRUE(run(3, ascending, 1u << kind, &got));
    EXPECT_EQ(got.outcome, all.outcome);
    for (unsigned stream = 0; stream < STREAMS; stream++)
      of_kinds += got.events[stream];
  }
  for (unsigned stream = 0; stream < STREAMS; stream++)
    events += all.events[stream];
  EXPECT_EQ(of_kinds, events);
}
