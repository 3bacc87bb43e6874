/* Buffers over the caller's memory: kernels work on it in place and touch nothing else. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

enum { WORDS = 64, BYTES = 4 * WORDS };

/* A page between inaccessible ones. */
struct fenced {
  uint8_t *all, *first, *end;
};

static struct fenced fence(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *all = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + page, page, PROT_READ | PROT_WRITE);
  return (struct fenced){all, all + page, all + 2 * page};
}

static void tear_down(const struct fenced *fenced) { munmap(fenced->all, 3 * (size_t)(fenced->end - fenced->first)); }

static uint32_t word(const uint8_t *data, size_t i) {
  uint32_t value;
  memcpy(&value, data + 4 * i, 4);
  return value;
}

static void count_up(uint8_t *data) {
  for (uint32_t i = 0; i < WORDS; i++)
    memcpy(data + 4 * i, &i, 4);
}

static ww_buffer *over(struct rig *rig, void *data) {
  ww_buffer *buffer = NULL;
  rig_fine(rig, ww_buffer_new_over(rig->device, NULL, data, BYTES, &buffer, &rig->error));
  EXPECT_TRUE(ww_buffer_data(buffer) == data);
  EXPECT_EQ(ww_buffer_bytes(buffer), BYTES);
  return buffer;
}

/* plus(data, 5), which holds the buffer's only other reference. */
static ww_launch *plus(struct rig *rig, ww_buffer *buffer) {
  static const uint32_t add = 5;
  ww_launch *launch = rig_launch(rig, "plus", WORDS, WORDS);
  (void)(rig_fine(rig, ww_launch_buffer(launch, 0, buffer, 0, &rig->error)) &&
         rig_fine(rig, ww_launch_value(launch, 1, &add, sizeof add, &rig->error)));
  return launch;
}

/* ---- in place ---------------------------------------------------------------------------------------------------- */

/* In each kind of run: at the edges of a page, at an unaligned place, and on machines that move whole lines. */
static void run_everywhere(struct rig *rig, const ww_watch *watch) {
  const struct fenced fenced = fence(), read_only = fence();
  uint8_t *const places[] = {fenced.first, fenced.end - BYTES, fenced.first + 1001};
  uint8_t *const from = read_only.end - BYTES;
  count_up(from);
  mprotect(read_only.first, (size_t)(read_only.end - read_only.first), PROT_READ);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    count_up(places[i]);
    ww_buffer *buffer = over(rig, places[i]), *source = over(rig, from);
    ww_launch *launch = plus(rig, buffer), *copies = rig_launch(rig, "copies", WORDS, WORDS);
    rig_fine(rig, ww_run(rig->device, &launch, 1, watch, NULL, &rig->error));
    EXPECT_EQ(word(places[i], 0), 5);
    EXPECT_EQ(word(places[i], WORDS - 1), WORDS - 1 + 5);
    memset(places[i], 1, BYTES); /* between runs the caller may change it, whatever caches hold */
    rig_fine(rig, ww_run(rig->device, &launch, 1, watch, NULL, &rig->error));
    EXPECT_EQ(word(places[i], WORDS - 1), 0x01010101 + 5);
    rig_fine(rig, ww_launch_buffer(copies, 0, source, 0, &rig->error));
    rig_fine(rig, ww_launch_buffer(copies, 1, buffer, 0, &rig->error));
    rig_fine(rig, ww_run(rig->device, &copies, 1, watch, NULL, &rig->error));
    EXPECT_EQ(word(places[i], WORDS - 1), WORDS - 1);
    ww_launch_unref(launch);
    ww_launch_unref(copies);
    ww_buffer_unref(buffer);
    ww_buffer_unref(source);
  }
  tear_down(&fenced);
  tear_down(&read_only);
}

static bool drop(void *self, const void *data, size_t size) {
  (void)self, (void)data, (void)size;
  return true;
}

TEST(over, kernels_access_the_callers_bytes_and_no_others) {
  static const char *const machines[] = {"teaching", "h200"};
  static const ww_watch watches[] = {{.size = sizeof(ww_watch)},
                                     {.size = sizeof(ww_watch), .functional = true},
                                     {.size = sizeof(ww_watch), .check = true},
                                     {.size = sizeof(ww_watch), .trace = {drop, NULL}, .page = true}};
  for (size_t m = 0; m < 2; m++)
    for (size_t w = 0; w < sizeof watches / sizeof *watches; w++) {
      ct_freed(rig_free) struct rig rig = rig_new(machines[m]);
      run_everywhere(&rig, &watches[w]);
    }
}

TEST(over, a_report_equals_that_of_device_memory) {
  static uint8_t own[BYTES];
  struct rig rig = rig_new("teaching"), other = rig_new("teaching");
  ww_buffer *data = NULL, *buffer = NULL;
  ww_launch *launch[2] = {rig_plus(&rig, &data, 5), NULL};
  ww_report *report[2] = {NULL, NULL};
  count_up(own);
  rig_fine(&other, ww_buffer_new_over(other.device, "data", own, BYTES, &buffer, &other.error));
  launch[1] = plus(&other, buffer);
  rig_fine(&rig, ww_run(rig.device, &launch[0], 1, NULL, &report[0], &rig.error));
  rig_fine(&other, ww_run(other.device, &launch[1], 1, NULL, &report[1], &other.error));
  char *a = rig_write(&rig, report[0], WW_JSON), *b = rig_write(&other, report[1], WW_JSON);
  EXPECT_STREQ(a, b);
  EXPECT_TRUE(memcmp(own, ww_buffer_data(data), BYTES) == 0);
  free(a);
  free(b);
  for (int i = 0; i < 2; i++) {
    ww_report_unref(report[i]);
    ww_launch_unref(launch[i]);
  }
  ww_buffer_unref(data);
  ww_buffer_unref(buffer);
  rig_free(&rig);
  rig_free(&other);
}

TEST(over, overruns_are_detected) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const struct fenced fenced = fence();
  ct_freed(ww_buffer_unref_at) ww_buffer *buffer = over(&rig, fenced.end - BYTES);
  ct_freed(ww_launch_unref_at) ww_launch *launch = plus(&rig, buffer);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(&rig,
           ww_launch_range(launch, 1, NULL, (const uint64_t[]){2 * WORDS}, (const uint64_t[]){WORDS}, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  EXPECT_EQ(ww_report_count(report, "launches[0].hazards"), 2); /* one for the load, one for the store */
  ww_hazard hazard[2];
  ASSERT_TRUE(ww_report_hazard(report, 0, &hazard[0]) && ww_report_hazard(report, 1, &hazard[1]));
  EXPECT_TRUE(hazard[0].count && hazard[1].count && hazard[0].line != hazard[1].line);
  EXPECT_FALSE(ww_report_hazard(report, 2, &hazard[0]));
  tear_down(&fenced);
}

/* ---- how long memory must stay ---------------------------------------------------------------------------------- */

TEST(over, memory_may_be_freed_once_launches_and_buffer_are_freed) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const struct fenced fenced = fence();
  ct_freed(ww_buffer_unref_at) ww_buffer *buffer = over(&rig, fenced.first);
  ww_launch *launch = plus(&rig, buffer), *spin = rig_launch(&rig, "spin", WORDS, WORDS);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  EXPECT_EQ(word(fenced.first, 0), 5);
  ww_launch_unref(launch);
  tear_down(&fenced);
  const ww_watch limit = {.size = sizeof limit, .cycle_limit = 1000};
  rig_fine(&rig, ww_run(rig.device, &spin, 1, &limit, NULL, &rig.error));
  char *text = rig_write(&rig, report, WW_JSON); /* the report contains none of its bytes */
  EXPECT_CONTAINS(text, "\"kernel\": \"plus\"");
  free(text);
  ww_launch_unref(spin);
}

struct leaving {
  ww_launch *launch;
  ww_buffer *buffer;
};

static bool leave(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  struct leaving *leaving = self;
  (void)now, (void)done, (void)groups;
  ww_launch_unref(leaving->launch);
  ww_buffer_unref(leaving->buffer);
  leaving->launch = NULL;
  leaving->buffer = NULL;
  return true;
}

/* Released as early as possible, while the run still has to store. */
TEST(over, a_buffer_released_during_a_run_lives_until_the_run_ends) {
  static const char source[] = ".kernel late\n.arg data global\n.reg i\n.reg64 p\n.pred more\n"
                               "  mov.b32 i, 0\n"
                               "again: add.i32 i, i, 1\n"
                               "  setp.lt.u32 more, i, 40000\n"
                               "@more bra again\n"
                               "  ld.arg.b64 p, data\n"
                               "  st.global.b32 [p], i\n"
                               "  exit\n";
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  const struct fenced fenced = fence();
  struct leaving leaving = {rig_launch(&rig, "late", 1, 1), over(&rig, fenced.end - BYTES)};
  ww_launch *launch = leaving.launch;
  const ww_watch watch = {.size = sizeof watch, .self = &leaving, .tick = leave};
  rig_fine(&rig, ww_launch_buffer(launch, 0, leaving.buffer, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error));
  EXPECT_TRUE(!leaving.buffer);
  EXPECT_EQ(word(fenced.end - BYTES, 0), 40000);
  tear_down(&fenced);
}
