/* The trace is intact, but its meta `run` has wrong contents: one line and exit status 2, or a replay. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/replay/trace_job.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

CT_FREES(struct trace, trace_close)

enum { EACH_REFUSED = 25, EACH_PARAMETER = 9 };

static char folder[80];
static size_t refused, replayed;

static const char kernels[] = "kernel void put(write_only pipe uint p) { uint x = 1; write_pipe(p, &x); }\n"
                              "kernel void take(read_only pipe uint p, global uint *out) {\n"
                              "  uint x; if (read_pipe(p, &x) == 0) out[get_global_id(0)] = x; }\n";

static const char launches[] =
    "{\"program\": \"k.cl\", \"pipes\": {\"p\": {\"packet_size\": 4, \"max_packets\": 64}}, \"buffers\": {\"out\": "
    "{\"bytes\": 256}}, \"set\": {\"dma.channels\": 2}, \"launches\": [{\"together\": [{\"kernel\": \"put\", "
    "\"global\": [64], \"local\": [32], \"args\": [{\"pipe\": \"p\"}]}, {\"kernel\": \"take\", \"global\": [64], "
    "\"local\": [32], \"args\": [{\"pipe\": \"p\"}, {\"buffer\": \"out\"}]}]}]}";

static char *path_of(const char *name) {
  static char path[2][200];
  static unsigned turn;
  char *at = path[turn++ % 2];
  snprintf(at, sizeof path[0], "%s/%s", folder, name);
  return at;
}

/* Writes the trace with another `run` through the writer: all checksums are correct. */
static void write_with(const char *run, size_t size) {
  struct message error;
  ct_freed(trace_close_at) struct trace *trace = trace_open(path_of("t.wwt"), TRACE_WHOLE, &error);
  unlink(path_of("m.wwt")); /* some file systems take milliseconds to truncate a file */
  struct trace_writer *writer = trace_writer_open(path_of("m.wwt"), &error);
  const char *name;
  for (uint32_t i = 0; (name = trace_meta_name(trace, i)); i++) {
    size_t bytes = 0;
    const char *meta = trace_meta(trace, name, &bytes);
    const bool own = strcmp(name, "run") == 0;
    trace_write_meta(writer, name, own ? run : meta, own ? size : bytes);
  }
  for (uint32_t i = 0; i < trace_programs(trace); i++) {
    uint32_t count = 0;
    const uint8_t *kinds = trace_program(trace, i, &count);
    trace_write_program(writer, kinds, count);
  }
  for (uint32_t i = 0; i < trace_launches(trace); i++)
    trace_write_launch(writer, trace_launch(trace, i));
  for (uint32_t i = 0; i < trace_batches(trace); i++) {
    struct trace_batch batch;
    EXPECT_TRUE(trace_batch(trace, i, &batch, &error));
    EXPECT_TRUE(trace_write_batch(writer, trace, i, batch.launch, batch.group, 0, &error));
  }
  EXPECT_TRUE(trace_writer_close(writer, &error));
}

/* Whether it is accepted as a job; a refusal is one line. */
static bool is_job(void) {
  const struct job_request request = {0};
  struct message error;
  struct message message = {{0}};
  ct_freed(job_free) struct job job = {0};
  cycle_t cycles = 0;
  ct_freed(trace_close_at) struct trace *trace = trace_open(path_of("m.wwt"), TRACE_WHOLE, &error);
  const bool good = trace_job_read(trace, "m.wwt", &request, &job, &cycles, &message);
  EXPECT_TRUE(good || message.text[0]);
  return good;
}

/* Lines that report an error; the notice that a kernel depends on time appears for each kernel. */
static size_t lines_said(const char *err) {
  size_t lines = 0;
  for (; *err; err += strcspn(err, "\n") + 1)
    lines += !memmem(err, strcspn(err, "\n"), "depends on time", 15);
  return lines;
}

/* Every accepted job is replayed; of the refused ones only some run, because each needs a process. */
static void try(const char *run, size_t size, const char *what) {
  ct_note("%s", what);
  write_with(run, size);
  const bool good = is_job();
  if (good)
    replayed++;
  else if (refused++ % EACH_REFUSED)
    return;
  ct_freed(outcome_free) struct outcome outcome = tool("replay m.wwt --max-cycles 5000");
  ct_note("%s: %s", what, outcome.err);
  EXPECT_TRUE(outcome.status == 0 || outcome.status == 1 || outcome.status == 2);
  EXPECT_TRUE(good || outcome.status == 2);
  EXPECT_TRUE(outcome.status != 2 || (!*outcome.out && strncmp(outcome.err, "warpwait: ", 10) == 0));
  EXPECT_TRUE(lines_said(outcome.err) <= 1 || outcome.status != 2);
}

static void try_document(const json_t *root, const char *what) {
  ct_freed(ct_free) char *text = json_dumps(root, JSON_COMPACT | JSON_ALLOW_NUL);
  try(text, strlen(text), what);
}

static json_t *hostile_value(unsigned i) {
  static char wide[5000];
  memset(wide, 'x', sizeof wide - 1);
  switch (i) {
  case 0:
    return json_null();
  case 1:
    return json_true();
  case 2:
    return json_integer(-1);
  case 3:
    return json_integer(0);
  case 4:
    return json_integer(1);
  case 5:
    return json_integer(3);
  case 6:
    return json_integer(INT64_C(1) << 32);
  case 7:
    return json_integer(INT64_MAX);
  case 8:
    return json_real(0.5);
  case 9:
    return json_string("");
  case 10:
    return json_string(wide);
  case 11:
    return json_string("18446744073709551615");
  case 12:
    return json_array();
  case 13:
    return json_object();
  default:
    return NULL;
  }
}

static void change(json_t *root, json_t *at, const char *where);

static void change_member(json_t *root, json_t *object, const char *key, const char *where) {
  char what[300];
  json_t *before = json_incref(json_object_get(object, key)), *value;
  snprintf(what, sizeof what, "%.200s.%.60s", where, key);
  for (unsigned i = 0; (value = hostile_value(i)); i++) {
    json_object_set_new(object, key, value);
    try_document(root, what);
  }
  json_object_del(object, key);
  try_document(root, what);
  json_object_set(object, key, before);
  change(root, before, what);
  json_decref(before);
}

static void change_element(json_t *root, json_t *array, size_t index, const char *where) {
  char what[300];
  json_t *before = json_incref(json_array_get(array, index)), *value;
  snprintf(what, sizeof what, "%.200s[%zu]", where, index);
  for (unsigned i = 0; (value = hostile_value(i)); i++) {
    json_array_set_new(array, index, value);
    try_document(root, what);
  }
  json_array_remove(array, index);
  try_document(root, what);
  json_array_insert(array, index, before);
  json_array_insert(array, index, before); /* twice */
  try_document(root, what);
  json_array_remove(array, index);
  change(root, before, what);
  json_decref(before);
}

/* Replaces each value below by each of the hostile ones, and removes it; only for some of the machine's many
 * parameters. */
static void change(json_t *root, json_t *at, const char *where) {
  const bool machine = json_object_get(at, "lds.banks");
  const char *keys[400];
  size_t count = 0;
  for (void *it = json_object_iter(at); it && count < 400; it = json_object_iter_next(at, it))
    keys[count++] = strdup(json_object_iter_key(it));
  for (size_t i = 0; i < count; i++) {
    if (!machine || i % EACH_PARAMETER == 0)
      change_member(root, at, keys[i], where);
    free((char *)keys[i]);
  }
  for (size_t i = 0; i < json_array_size(at); i++)
    change_element(root, at, i, where);
}

static json_t *recorded(void) {
  struct message error;
  snprintf(folder, sizeof folder, "%s", tool_folder());
  tool_file("k.cl", kernels);
  tool_file("l.json", launches);
  ct_freed(outcome_free) struct outcome outcome = tool("run l.json --trace t.wwt --out o");
  EXPECT_EQ(outcome.status, 0);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path_of("t.wwt"), TRACE_WHOLE, &error);
  json_t *root = json_loads(trace_meta(trace, "run", NULL), 0, NULL);
  return root;
}

TEST(hostile_job, any_change_to_the_run_meta_is_refused_or_replays) {
  json_t *root = recorded(), *launch = json_array_get(json_object_get(root, "launches"), 0);
  refused = replayed = 0;
  json_object_set_new(launch, "first_group", json_integer(1)); /* as in a slice of a merged trace */
  json_object_set_new(launch, "part_groups", json_integer(1));
  json_object_set_new(launch, "shift", json_integer(0));
  change(root, root, "run");
  EXPECT_GT(refused, 1000);
  EXPECT_GT(replayed, 50);
  json_decref(root);
}

TEST(hostile_job, a_run_meta_that_is_not_a_json_object_is_refused) {
  static const char *const texts[] = {
      "", "{", "[]", "7", "nothing", "{\"name\": \"\xff\"}", "{\"name\": 1, \"name\": 2}", "{}"};
  json_decref(recorded());
  refused = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    try(texts[i], strlen(texts[i]), texts[i]);
  try("{}\0{}", 5, "a zero byte");
  static char deep[100000];
  memset(deep, '[', sizeof deep - 1);
  try(deep, sizeof deep - 1, "deep");
  EXPECT_EQ(refused, sizeof texts / sizeof *texts + 2);
}
