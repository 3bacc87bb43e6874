/* All launch files of examples and lessons through the library: their reports equal those of the command line byte for
 * byte, in one thread and in several. */
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

enum { MOST = 100, THREADS = 8 };

struct files {
  glob_t found;
  char *report[MOST]; /* of the command line */
  bool passed[MOST];  /* of the command line: the exit status is 0 */
};

static char *read_all(FILE *file) {
  char *text = malloc(1);
  size_t length = 0;
  for (size_t got = 1; got; length += got) {
    text = realloc(text, length + 65536 + 1);
    got = fread(text + length, 1, 65536, file);
  }
  text[length] = '\0';
  return text;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = file ? read_all(file) : NULL;
  if (file)
    fclose(file);
  return text;
}

static char *report_of_command(const char *path, bool *passed) {
  const char *tool = getenv("WARPWAIT");
  char command[600];
  snprintf(command, sizeof command, "%s run %s --why=no --report json -q --verify 2>/dev/null",
           tool ? tool : "build/warpwait", path);
  FILE *pipe = popen(command, "r");
  char *text = read_all(pipe);
  *passed = pclose(pipe) == 0;
  return text;
}

static void find_files(struct files *files) {
  glob("examples/*/launch*.json", 0, NULL, &files->found);
  glob("docs/lessons/*/launch*.json", GLOB_APPEND, NULL, &files->found);
  EXPECT_GE(files->found.gl_pathc, 40);
  EXPECT_LE(files->found.gl_pathc, MOST);
  for (size_t i = 0; i < files->found.gl_pathc; i++)
    files->report[i] = report_of_command(files->found.gl_pathv[i], &files->passed[i]);
}

static void free_files(struct files *files) {
  for (size_t i = 0; i < files->found.gl_pathc; i++)
    free(files->report[i]);
  globfree(&files->found);
}

/* The file's report; NULL if there is none. *passed: whether its checks passed. */
static char *report_of_library(ww_context *context, const char *path, bool *passed) {
  struct rig rig = {.context = context};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  char *text = read_file(path), *json = NULL;
  const ww_bytes bytes = {text, strlen(text), path};
  if (ww_file_run(context, bytes, NULL, NULL, true, passed, &report, &rig.error) == WW_OK)
    json = rig_write(&rig, report, WW_JSON);
  else
    json = strdup(rig.error.text);
  free(text);
  return json;
}

TEST(files, reports_equal_those_of_the_command_line) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct files files = {.report = {NULL}};
  find_files(&files);
  for (size_t i = 0; i < files.found.gl_pathc; i++) {
    bool passed = false;
    const char *path = files.found.gl_pathv[i];
    ct_freed(ct_free) char *json = report_of_library(rig.context, path, &passed);
    ct_note("%s", path);
    EXPECT_TRUE(strcmp(json, files.report[i]) == 0);
    EXPECT_EQ(passed, files.passed[i]);
  }
  free_files(&files);
}

struct worker {
  pthread_t thread;
  ww_context *context;
  const struct files *files;
  size_t first, different;
};

static void *work(void *self) {
  struct worker *worker = self;
  const size_t count = worker->files->found.gl_pathc;
  for (size_t i = 0; i < count; i++) {
    const size_t file = (worker->first + i) % count; /* each thread in a different order */
    bool passed = false;
    ct_freed(ct_free) char *json = report_of_library(worker->context, worker->files->found.gl_pathv[file], &passed);
    worker->different += strcmp(json, worker->files->report[file]) != 0;
  }
  return NULL;
}

TEST(files, threads_do_not_disturb_each_other) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct files files = {.report = {NULL}};
  struct worker worker[THREADS];
  find_files(&files);
  for (size_t i = 0; i < THREADS; i++) {
    worker[i] = (struct worker){.context = rig.context, .files = &files, .first = 5 * i};
    pthread_create(&worker[i].thread, NULL, work, &worker[i]);
  }
  for (size_t i = 0; i < THREADS; i++) {
    pthread_join(worker[i].thread, NULL);
    EXPECT_EQ(worker[i].different, 0);
  }
  free_files(&files);
}
