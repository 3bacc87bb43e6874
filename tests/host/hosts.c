/* Both hosts and every order give the same result. SystemC elaborates once per process, so each of its runs has its own
 * process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bindings/systemc/systemc.h"
#include "sim/base/need.h"
#include "sim/host/vcd.h"
#include "tests/ct.h"
#include "tests/host/network.h"

enum { TOKENS = 4, HOPS = 500 };

struct outcome {
  uint64_t hash, arrivals;
  cycle_t end; /* what the last run() returned */
};

/* Which network, and how it runs: to the end at once or in slices, and possibly a second time. */
struct plan {
  bool star;
  cycle_t slice; /* 0: no slices */
  cycle_t limit; /* NEVER: to the end */
  cycle_t again; /* a second launch at this cycle; 0: none */
};

static struct outcome run(struct network *network, struct host *host, struct plan plan) {
  struct outcome outcome = {0};
  cycle_t limit = plan.slice ? plan.slice : plan.limit;
  while ((outcome.end = host->run(host, limit)) < plan.limit)
    limit = cycle_min(plan.limit, limit + plan.slice);
  if (plan.again) {
    network_inject(network, 3, 77, HOPS, plan.again);
    outcome.end = host->run(host, NEVER);
  }
  outcome.hash = network_hash(network);
  outcome.arrivals = network_arrivals(network);
  host->free(host);
  return outcome;
}

static struct outcome plain(enum host_order order, uint32_t seed, struct plan plan) {
  ct_freed(ct_free) struct network *network = malloc(sizeof *network);
  network_init(network, plan.star, TOKENS, HOPS);
  struct outcome outcome = run(network, host_plain(network->islands, network->count, order, seed), plan);
  network_free(network);
  return outcome;
}

static struct outcome threaded(unsigned threads, struct plan plan) {
  ct_freed(ct_free) struct network *network = malloc(sizeof *network);
  network_init(network, plan.star, TOKENS, HOPS);
  struct outcome outcome =
      run(network, host_threads(network->islands, network->count, &(struct host_sharing){.threads = threads}), plan);
  network_free(network);
  return outcome;
}

static void systemc_child(int out, uint32_t clock_mhz, struct plan plan) {
  struct network *network = malloc(sizeof *network);
  const char *why = NULL;
  network_init(network, plan.star, TOKENS, HOPS);
  struct host *host = host_systemc(network->islands, network->count, clock_mhz, &why);
  const char *second = NULL;
  if (!host || host_systemc(network->islands, network->count, clock_mhz, &second) || !second)
    _exit(1);
  struct outcome outcome = run(network, host, plan);
  _exit(write(out, &outcome, sizeof outcome) == (ssize_t)sizeof outcome ? 0 : 1);
}

static struct outcome systemc(uint32_t clock_mhz, struct plan plan) {
  int ends[2], status = 0;
  struct outcome outcome = {0};
  if (pipe(ends) != 0)
    return outcome;
  pid_t child = fork();
  if (child == 0)
    systemc_child(ends[1], clock_mhz, plan);
  close(ends[1]);
  bool whole = read(ends[0], &outcome, sizeof outcome) == (ssize_t)sizeof outcome;
  close(ends[0]);
  waitpid(child, &status, 0);
  EXPECT_TRUE(whole && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return outcome;
}

static void expect_same(struct outcome a, struct outcome b) {
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.arrivals, b.arrivals);
  EXPECT_EQ(a.end, b.end);
}

static const struct plan whole = {.limit = NEVER};

TEST(host, every_hop_of_every_token_arrives) {
  EXPECT_EQ(plain(ORDER_ASCENDING, 0, whole).arrivals, TOKENS * (HOPS + 1));
}

TEST(host, all_plain_orders_agree) {
  struct outcome first = plain(ORDER_ASCENDING, 0, whole);
  EXPECT_EQ(first.end, NEVER);
  expect_same(plain(ORDER_DESCENDING, 0, whole), first);
  for (uint32_t seed = 1; seed < 50; seed++) {
    ct_note("seed %u", seed);
    expect_same(plain(ORDER_SHUFFLED, seed, whole), first);
  }
}

/* The plain loop lets the hub and the other islands take turns; SystemC's windows are short. */
TEST(host, a_hub_and_the_other_islands_may_take_turns) {
  static const struct plan star = {.star = true, .limit = NEVER};
  struct outcome first = systemc(1000, star);
  EXPECT_EQ(first.arrivals, TOKENS * (HOPS + 1));
  expect_same(plain(ORDER_ASCENDING, 0, star), first);
  expect_same(plain(ORDER_DESCENDING, 0, star), first);
  for (uint32_t seed = 1; seed < 50; seed++) {
    ct_note("seed %u", seed);
    expect_same(plain(ORDER_SHUFFLED, seed, star), first);
    expect_same(plain(ORDER_SHUFFLED, seed, (struct plan){.star = true, .slice = seed, .limit = NEVER}), first);
  }
}

TEST(host, threads_agree) {
  static const struct plan star = {.star = true, .limit = NEVER};
  const struct outcome one = plain(ORDER_ASCENDING, 0, star);
  for (unsigned threads = 1; threads <= 4; threads++) {
    ct_note("%u threads", threads);
    expect_same(threaded(threads, star), one);
    expect_same(threaded(threads, (struct plan){.star = true, .slice = threads, .limit = NEVER}), one);
    expect_same(threaded(threads, (struct plan){.limit = NEVER}),
                plain(ORDER_ASCENDING, 0, (struct plan){.limit = NEVER}));
  }
}

TEST(host, systemc_agrees_at_every_clock_period) {
  /* Periods that are whole picoseconds and those that are not; the ends of the parameter's range. */
  static const uint32_t clocks[] = {1, 333, 800, 1000, 1980, 99999, 100000};
  struct outcome first = plain(ORDER_ASCENDING, 0, whole);
  for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
    ct_note("%u MHz", clocks[i]);
    expect_same(systemc(clocks[i], whole), first);
  }
}

TEST(host, slices_do_not_change_the_result) {
  struct outcome first = plain(ORDER_ASCENDING, 0, whole);
  for (cycle_t slice = 1; slice < 20; slice += 3) {
    const struct plan sliced = {.slice = slice, .limit = NEVER};
    ct_note("slices of %u cycles", (unsigned)slice);
    expect_same(plain(ORDER_SHUFFLED, 7, sliced), first);
    expect_same(systemc(1980, sliced), first);
  }
}

TEST(host, the_limit_stops_every_island_before_it) {
  /* A step at the limit itself is not taken: a run to `limit` and one to limit + 1 differ exactly if something is due
   * at the limit. */
  for (cycle_t limit = 100; limit < 140; limit++) {
    const struct plan up_to = {.limit = limit}, beyond = {.limit = limit + 1};
    struct outcome a = plain(ORDER_ASCENDING, 0, up_to), b = plain(ORDER_ASCENDING, 0, beyond);
    ct_note("limit %u", (unsigned)limit);
    EXPECT_GE(a.end, limit);
    EXPECT_TRUE(a.end == limit ? b.end > limit : (a.hash == b.hash && a.end == b.end));
    expect_same(systemc(1000, up_to), a);
  }
}

TEST(host, a_second_launch_starts_at_the_given_cycle) {
  /* Starts well after the first launch's end, and close to its last steps. */
  static const cycle_t starts[] = {8000, 20000, 1000000007};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    const struct plan twice = {.limit = NEVER, .again = starts[i]};
    struct outcome first = plain(ORDER_ASCENDING, 0, twice);
    ct_note("second launch at %llu", (unsigned long long)starts[i]);
    EXPECT_EQ(first.arrivals, (TOKENS + 1) * (HOPS + 1));
    expect_same(plain(ORDER_DESCENDING, 0, twice), first);
    expect_same(systemc(1980, twice), first);
  }
}

/* Runs in a separate process because of SystemC. The caller frees the text. */
static cycle_t need_too_much(void *self, cycle_t now) {
  (void)self;
  return need(now < 50 ? 1 : SIZE_MAX / 4, 1) ? now + 1 : NEVER;
}

static void run_to_the_end(void *self) {
  struct host *host = self;
  host->run(host, NEVER);
}

TEST(host, out_of_memory_in_a_step_ends_at_the_recovery_point_of_the_run_and_leaves_systemc) {
  int status = 0;
  const pid_t child = fork();
  if (!child) {
    struct component component = {.name = "greedy", .step = need_too_much};
    struct island island = {.name = "island", .lookahead = 4}, *islands = &island;
    const char *why = NULL;
    size_t wanted = 0;
    island_add(&island, &component);
    struct host *host = host_systemc(&islands, 1, 1000, &why);
    const bool failed = !heap_try(NULL, run_to_the_end, host, &wanted);
    _exit(failed && wanted == SIZE_MAX / 4 && !heap_guarded() ? 0 : 1);
  }
  EXPECT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT_EQ(status, 0);
}

static char *waveform_of(bool systemc_steps, cycle_t limit) {
  FILE *file = tmpfile();
  char *text = calloc(1, 1 << 20);
  EXPECT_TRUE(file && text);
  const pid_t child = fork();
  if (child == 0) {
    struct network *network = malloc(sizeof *network);
    const char *why = NULL;
    network_init(network, false, TOKENS, HOPS);
    struct host *host = systemc_steps ? host_systemc(network->islands, NETWORK_ISLANDS, 1000, &why)
                                      : host_plain(network->islands, NETWORK_ISLANDS, ORDER_SHUFFLED, 3);
    host->waveform = waveform_new(file, network->islands, NETWORK_ISLANDS, 1000);
    const struct outcome watched = run(network, host, (struct plan){.limit = limit});
    const struct outcome other = plain(ORDER_ASCENDING, 0, (struct plan){.limit = limit});
    _exit(watched.hash == other.hash && fclose(file) == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  rewind(file);
  EXPECT_GT(fread(text, 1, (1 << 20) - 1, file), 0);
  fclose(file);
  return text;
}

TEST(host, the_waveform_is_complete_and_undated_and_changes_no_cycle) {
  ct_freed(ct_free) char *vcd = waveform_of(true, 300);
  EXPECT_CONTAINS(vcd, "$timescale");
  EXPECT_CONTAINS(vcd, "$scope module node0 $end");
  EXPECT_CONTAINS(vcd, "$enddefinitions");
  EXPECT_CONTAINS(vcd, "passed");
  EXPECT_TRUE(strstr(vcd, "$date") == NULL);
  /* 1000 MHz: token 1, hop 499, leaves node0's front at 0 and reaches its back at cycle 1 = 1000 ps. */
  EXPECT_CONTAINS(vcd, "\n#1000\n");
}

TEST(host, the_waveform_is_the_same_on_either_host) {
  char *systemc_has = waveform_of(true, 300), *plain_has = waveform_of(false, 300);
  EXPECT_STREQ(plain_has, systemc_has);
  free(systemc_has);
  free(plain_has);
}
