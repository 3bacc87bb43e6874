#include "tests/sweep/store_rig.h"

#include <dirent.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ct.h"

CT_FREES(struct store, store_close)

/* clang-format off */
static char *channels[] = {(char[]){"1"}, (char[]){"2"}, (char[]){"4"}};
static char *types[] = {(char[]){"half"}, (char[]){"0x10"}, (char[]){"1.5"}, (char[]){"010"}};
static char *machines[] = {(char[]){"h200"}, (char[]){"my,machine"}};

const struct sweep_plan rig_plan = {
    .axis = {{.name = (char[]){"dma.channels"}, .value = channels, .count = 3, .factor = 0},
             {.name = (char[]){"define.T"}, .value = types, .count = 4, .factor = 1},
             {.name = (char[]){"machine"}, .value = machines, .count = 2, .factor = 2}},
    .axes = 3, .factors = 3, .grid = RIG_POINTS, .points = RIG_POINTS,
};
/* clang-format on */

static const struct store_metric metrics[] = {
    {"cycles", "cycles", "from the first launch to the end of the last"},
    {"microseconds", "us", "the same in time"},
    {"odd \"name\"", "", "what must be quoted"},
};
static const struct store_fact facts[] = {{"kernel.cl", "8f3a"}, {"seed", "1"}, {"~host", "here"}};

const struct store_subject rig_subject = {
    .plan = &rig_plan, .metrics = metrics, .metric_count = 3, .facts = facts, .fact_count = 3};

struct store_row rig_row(uint64_t number) {
  static char key[128];
  static uint32_t value[3];
  static double metric[3];
  const bool stuck = number % 7 == 6;
  value[0] = (uint32_t)(number % 3);
  value[1] = (uint32_t)(number / 3 % 4);
  value[2] = (uint32_t)(number / 12 % 2);
  snprintf(key, sizeof key, "define.T=%s dma.channels=%s machine=%s round=%d", types[value[1]], channels[value[0]],
           machines[value[2]], (int)(number / RIG_POINTS));
  metric[0] = 1000.0 + (double)(number * 37 % 101);
  metric[1] = metric[0] / 1830;
  metric[2] = number % 2 ? NAN : INFINITY;
  return (struct store_row){.key = key,
                            .number = number,
                            .value = value,
                            .status = stuck ? "deadlock" : "finished",
                            .reason = stuck ? "warps 0, 1 \"wait\"\nin line 3" : NULL,
                            .metric = stuck ? NULL : metric,
                            .seconds = 0.25,
                            .how = "replay"};
}

static char folder[64];

static void leave(void) {
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (unlink(path) != 0 && entry->d_name[0] != '.')
      rmdir(path);
  }
  if (directory)
    closedir(directory);
  rmdir(folder);
}

const char *rig_path(const char *name) {
  static char paths[8][256];
  static unsigned next;
  if (!*folder) {
    /* In memory if possible: a kill leaves the same there, and commits do not wait for a disk. */
    const bool memory = access("/dev/shm", W_OK) == 0;
    snprintf(folder, sizeof folder, "%s/warpwait-sweep-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
      abort();
    atexit(leave);
  }
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

bool rig_exists(const char *name) { return access(rig_path(name), F_OK) == 0; }

void rig_remove(const char *name) {
  char journal[128];
  snprintf(journal, sizeof journal, "%s-journal", name);
  unlink(rig_path(name));
  unlink(rig_path(journal));
}

struct store *rig_open(const char *name) {
  struct message message[1] = {{""}};
  struct store *store = store_open(rig_path(name), &rig_subject, message);
  EXPECT_STREQ(message->text, "");
  return store;
}

void rig_fill(const char *name, uint64_t first, uint64_t of) {
  struct message message[1] = {{""}};
  ct_freed(store_close_at) struct store *store = rig_open(name);
  ASSERT_TRUE(store);
  for (uint64_t number = first; number < RIG_POINTS; number += of) {
    const struct store_row row = rig_row(number);
    EXPECT_TRUE(store_add(store, &row, message));
  }
  EXPECT_TRUE(store_commit(store, message));
  EXPECT_STREQ(message->text, "");
}

static int append(void *context, int columns, char **cell, char **names) {
  (void)names;
  for (int i = 0; i < columns; i++)
    fprintf(context, "%s%c", cell[i] ? cell[i] : "NULL", i + 1 < columns ? '|' : '\n');
  return 0;
}

const char *rig_query(const char *name, const char *sql) {
  static char *text;
  size_t size = 0;
  sqlite3 *database = NULL;
  char *error = NULL;
  free(text);
  FILE *stream = open_memstream(&text, &size);
  if (sqlite3_open(rig_path(name), &database) != SQLITE_OK ||
      sqlite3_exec(database, sql, append, stream, &error) != SQLITE_OK)
    fprintf(stream, "error: %s\n", error ? error : sqlite3_errmsg(database));
  sqlite3_free(error);
  sqlite3_close(database);
  fclose(stream);
  return text;
}

const char *rig_ask(rig_child *child, bool nobody) {
  static struct message message[1];
  int ends[2];
  fflush(NULL);
  if (pipe(ends) != 0)
    abort();
  const pid_t process = fork();
  if (process == 0) {
    struct message told[1] = {{""}};
    if (nobody && geteuid() == 0 && setuid(65534) != 0)
      _exit(1);
    child(told);
    _exit(write(ends[1], told, sizeof told) != (ssize_t)sizeof told);
  }
  close(ends[1]);
  message_fail(message, "it died");
  const ssize_t told = read(ends[0], message, sizeof message);
  close(ends[0]);
  waitpid(process, NULL, 0);
  return told < 0 ? "unreadable" : message->text;
}

const char *rig_points(const char *name) { return rig_query(name, "SELECT * FROM points ORDER BY key"); }
