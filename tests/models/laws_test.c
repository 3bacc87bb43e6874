/* The law of evaluation order: components and islands stepped in ascending, descending and shuffled order, in several
 * threads, and by SystemC, give bit-identical launches. Random kernels run on machines that differ in everything that
 * could matter. The kernels are racy on purpose: a race must not depend on the order either. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bindings/systemc/systemc.h"
#include "tests/ct.h"
#include "tests/models/random_kernel.h"
#include "tests/models/rig.h"
#include "tests/models/rig_replay.h"

CT_FREES(struct simulation, simulation_free)

enum { KERNELS = 20 };

/* ---- fingerprints ------------------------------------------------------------------------- */

/* Covers everything that a report could show, and the memory. An image overlaps the last buffer. */
static uint64_t fingerprint(const struct rig *rig, const struct launch_result *result) {
  const uint64_t made = rig_mix(rig_fingerprint(rig->program, result), rig->buffers[1].data, RIG_BUFFER);
  return rig->memory.image_count ? rig_mix(made, rig->buffers[RIG_BUFFERS - 1].data, RIG_BUFFER) : made;
}

/* ---- images ------------------------------------------------------------------------------- */

/* Lanes of all groups read and store texels of one image at various places, with or without a fence, and write out what
 * they have read. */
static void image_kernel(char *text, uint64_t seed) {
  static const char *const steps[] = {
      " image.load.2d v, [i], s, at, as=float\n",
      " image.load.2d v, [i], s, at, as=b16\n",
      " image.store.2d [i], at, v, as=float\n",
      " image.store.2d [i], at, v, as=b32\n",
      " image.sample.2d v, [i], s, f, as=float\n",
      " st.global.b128 [o], v\n",
      " fence.image\n",
      " bar.image\n",
      " xor.b32 s, s, 16\n",
      " add.i32 x, x, v[0]\n and.b32 x, x, 63\n pack.b64 at, x, y\n",
      " add.i32 y, y, 5\n and.b32 y, y, 63\n pack.b64 at, x, y\n",
  };
  struct writer writer = {.text = text, .random = seed};
  put(&writer, ".kernel k\n.arg in global\n.arg out global\n.arg picture image2d\n.reg v[4], s, x, y, g, u, w\n"
               ".reg64 i, o, at, f\n ld.arg.b64 i, picture\n ld.arg.b64 o, out\n get.global_id g, x\n"
               " mad.wide.u32 o, g, 16, o\n and.b32 x, g, 63\n shr.u32 y, g, 5\n and.b32 y, y, 63\n"
               " pack.b64 at, x, y\n cvt.f32.u32 u, x\n cvt.f32.u32 w, y\n pack.b64 f, u, w\n"
               " mov.b32 v[0], g\n mov.b32 v[1], 1.0\n");
  put(&writer, " mov.b32 s, %u\n", below(&writer, 2) ? 4 : 20);
  for (unsigned left = 12 + below(&writer, 12); left; left--)
    put(&writer, "%s", steps[below(&writer, sizeof steps / sizeof *steps)]);
  put(&writer, " image.store.2d [i], at, v, as=float\n st.global.b128 [o], v\n exit\n");
}

struct outcome {
  uint64_t fingerprint, trace_hash, cycles;
};

typedef struct host *(*host_maker)(struct island **, size_t);

/* Runs the program's one or two kernels concurrently; the first one's result stays in the rig. */
static bool run_kernels(struct rig *rig, struct simulation *simulation, struct host *host, struct outcome *outcome) {
  struct launch_result results[2];
  struct isa_launch second = rig->launch, *const launches[2] = {&rig->launch, &second};
  const size_t count = rig->program->kernel_count;
  second.kernel = &rig->program->kernels[count - 1];
  bool ok = true;
  simulation_run_together(simulation, host, launches, count, 100000000, NULL, results);
  *outcome = (struct outcome){0};
  for (size_t i = 0; ok && i < count; i++) {
    ok = results[i].end == END_FINISHED;
    outcome->fingerprint = outcome->fingerprint * 31 + fingerprint(rig, &results[i]);
    outcome->trace_hash = outcome->trace_hash * 31 + results[i].trace_hash;
    outcome->cycles = outcome->cycles * 31 + results[i].cycles;
  }
  rig->result = results[0];
  if (count > 1)
    launch_result_free(&results[1]);
  return ok;
}

/* Compute units are built when launches reach them, or before the host is made, or before it and with waves
 * recorded. */
enum view { AS_REACHED, BUILT, WAVES };

enum kernels { ALONE, PAIRS, OF_IMAGES };

/* Runs KERNELS random kernels one after the other on one machine, or as many pairs concurrently. `make` makes the host
 * for its islands. */
static bool run_all(unsigned machine, enum kernels kernels, enum view view, host_maker make, struct outcome *outcomes) {
  struct machine parameters;
  size_t count = 0;
  if (!rig_machine(&parameters, machines[machine]))
    return false;
  ct_freed(simulation_free_at) struct simulation *simulation = simulation_new(&parameters);
  if (view == WAVES)
    simulation_show_every_cycle(simulation);
  else if (view == BUILT)
    simulation_build(simulation);
  struct island **islands = simulation_islands(simulation, &count);
  struct host *host = make(islands, count);
  ct_freed(ct_free) char *text = malloc(RANDOM_TEXT);
  bool ok = host && text;
  for (unsigned i = 0; ok && i < KERNELS; i++) {
    ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
    *text = '\0';
    if (kernels == OF_IMAGES)
      image_kernel(text, machine * KERNELS + i + 1);
    else
      random_kernel(text, "k", machine * KERNELS + i + 1);
    if (kernels == PAIRS)
      random_kernel(text, "second", machine * KERNELS + i + 1000);
    ok = rig_build(&rig, machines[machine], 64 + 32 * (i % 9), 64, text);
    if (!ok)
      break;
    ok = run_kernels(&rig, simulation, host, &outcomes[i]);
    if (!ok)
      fprintf(stderr, "machine %u, kernel %u did not finish:\n%s", machine, i, text);
  }
  if (host)
    host->free(host);
  return ok;
}

static struct host *ascending(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_ASCENDING, 0);
}
static struct host *descending(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_DESCENDING, 0);
}
static struct host *shuffled(struct island **islands, size_t count) {
  return host_plain(islands, count, ORDER_SHUFFLED, 12345);
}
static struct host *threads(struct island **islands, size_t count) {
  return host_threads(islands, count, &(struct host_sharing){.threads = 3});
}
static struct host *systemc(struct island **islands, size_t count) {
  const char *message = "";
  struct host *host = host_systemc(islands, count, 1000, &message);
  if (!host)
    fprintf(stderr, "%s\n", message);
  return host;
}

/* A process can have only one SystemC: a child runs it and sends the outcomes back. */
static bool run_systemc(unsigned machine, enum kernels kernels, struct outcome *outcomes) {
  int ends[2];
  if (pipe(ends))
    return false;
  pid_t child = fork();
  if (child == 0) {
    bool ok = run_all(machine, kernels, AS_REACHED, systemc, outcomes);
    ssize_t size = (ssize_t)(KERNELS * sizeof *outcomes);
    _exit(ok && write(ends[1], outcomes, (size_t)size) == size ? 0 : 1);
  }
  close(ends[1]);
  size_t got = 0, want = KERNELS * sizeof *outcomes;
  for (ssize_t n = 1; n > 0 && got<want; got += n> 0 ? (size_t)n : 0)
    n = read(ends[0], (char *)outcomes + got, want - got);
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0 && got == want;
}

static void compare(unsigned machine, const char *what, const struct outcome *expected, const struct outcome *got) {
  for (unsigned i = 0; i < KERNELS; i++) {
    ct_note("machine %u (%s), kernel %u, %s", machine, machines[machine], i, what);
    EXPECT_EQ(got[i].cycles, expected[i].cycles);
    EXPECT_EQ(got[i].trace_hash, expected[i].trace_hash);
    EXPECT_EQ(got[i].fingerprint, expected[i].fingerprint);
  }
}

/* For tests/compilers, which compares the results of different compilers: one line per kernel. */
static void write_outcomes(unsigned machine, const struct outcome *outcomes) {
  const char *path = getenv("WARPWAIT_FINGERPRINTS");
  FILE *file = path ? fopen(path, machine ? "a" : "w") : NULL;
  for (unsigned i = 0; file && i < KERNELS; i++)
    fprintf(file, "%u %u: %llu cycles, trace %016llx, everything %016llx\n", machine, i,
            (unsigned long long)outcomes[i].cycles, (unsigned long long)outcomes[i].trace_hash,
            (unsigned long long)outcomes[i].fingerprint);
  if (file)
    fclose(file);
}

static void compare_orders(unsigned machine, enum kernels kernels, struct outcome *expected) {
  struct outcome got[KERNELS];
  ct_note("machine %u (%s)", machine, machines[machine]);
  ASSERT_TRUE(run_all(machine, kernels, AS_REACHED, ascending, expected));
  ASSERT_TRUE(run_all(machine, kernels, BUILT, descending, got));
  compare(machine, "descending", expected, got);
  ASSERT_TRUE(run_all(machine, kernels, AS_REACHED, shuffled, got));
  compare(machine, "shuffled", expected, got);
  ASSERT_TRUE(run_systemc(machine, kernels, got));
  compare(machine, "SystemC", expected, got);
}

TEST(laws, two_hundred_random_kernels_do_not_depend_on_the_order_of_evaluation) {
  for (unsigned machine = 0; machine < MACHINES; machine++) {
    struct outcome expected[KERNELS];
    compare_orders(machine, ALONE, expected);
    write_outcomes(machine, expected);
  }
}

TEST(laws, pairs_of_concurrent_kernels_do_not_depend_on_the_order_of_evaluation) {
  for (unsigned machine = 0; machine < MACHINES; machine++) {
    struct outcome expected[KERNELS];
    compare_orders(machine, PAIRS, expected);
  }
}

TEST(laws, kernels_that_share_an_image_do_not_depend_on_the_order_of_evaluation) {
  for (unsigned machine = 0; machine < MACHINES; machine++) {
    struct outcome expected[KERNELS];
    compare_orders(machine, OF_IMAGES, expected);
    for (unsigned i = 1; i < KERNELS; i++)
      EXPECT_NE(expected[i].fingerprint, expected[0].fingerprint);
  }
}

TEST(laws, splitting_compute_units_among_threads_changes_nothing) {
  for (unsigned machine = 0; machine < MACHINES; machine++)
    for (unsigned kernels = ALONE; kernels <= OF_IMAGES; kernels++) {
      struct outcome expected[KERNELS], got[KERNELS];
      ct_note("machine %u (%s), %s", machine, machines[machine], (const char *[]){"alone", "pairs", "images"}[kernels]);
      ASSERT_TRUE(run_all(machine, (enum kernels)kernels, AS_REACHED, ascending, expected));
      ASSERT_TRUE(run_all(machine, (enum kernels)kernels, AS_REACHED, threads, got));
      compare(machine, "three threads", expected, got);
    }
}

TEST(laws, recording_waves_changes_nothing) {
  for (unsigned machine = 0; machine < MACHINES; machine++) {
    struct outcome expected[KERNELS], got[KERNELS];
    ct_note("machine %u (%s)", machine, machines[machine]);
    ASSERT_TRUE(run_all(machine, ALONE, AS_REACHED, ascending, expected));
    ASSERT_TRUE(run_all(machine, ALONE, WAVES, ascending, got));
    compare(machine, "each cycle seen", expected, got);
  }
}

TEST(laws, a_different_kernel_has_a_different_fingerprint) {
  /* the comparison above would be worthless if it compared constants */
  struct outcome outcomes[KERNELS];
  ASSERT_TRUE(run_all(0, ALONE, AS_REACHED, ascending, outcomes));
  for (unsigned i = 1; i < KERNELS; i++)
    EXPECT_NE(outcomes[i].fingerprint, outcomes[0].fingerprint);
}
