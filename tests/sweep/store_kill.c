/* Files of results under failures: kills, full disks, unwritable files, two writers.
 *
 * Time limit: a writer waits for 90 ms at least. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/sweep/store_rig.h"
#include "tools/sweep/store.h"

CT_FREES(struct store, store_close)

enum { KILLS = 50, BATCH = 3 };

static struct message message[1];

/* ---- kills ----------------------------------------------------------------------------------------- */

/* Continues where the file ends, with BATCH rows per commit, and reports the number of rows after each. */
_Noreturn static void add_until_killed(const char *name, int told) {
  struct store *store = store_open(rig_path(name), &rig_subject, message);
  if (!store)
    _exit(1);
  for (uint64_t number = store_count(store);; number += BATCH) {
    for (uint64_t i = 0; i < BATCH; i++) {
      const struct store_row row = rig_row(number + i);
      if (!store_add(store, &row, message))
        _exit(1);
    }
    const uint64_t committed = number + BATCH;
    if (!store_commit(store, message) || write(told, &committed, sizeof committed) != sizeof committed)
      _exit(1);
  }
}

/* Kills it up to `longest` nanoseconds after it has reported `commits` commits. Returns how many rows it had
 * committed. */
static uint64_t kill_one(const char *name, uint64_t commits, long longest, uint64_t *seed) {
  int ends[2], status = 0;
  uint64_t committed = 0, told;
  fflush(NULL);
  if (pipe(ends) != 0)
    abort();
  const pid_t process = fork();
  if (process == 0)
    add_until_killed(name, ends[1]);
  close(ends[1]);
  while (commits-- && read(ends[0], &told, sizeof told) == sizeof told)
    committed = told;
  nanosleep(&(struct timespec){.tv_nsec = (long)(ct_random(seed) % (uint64_t)longest)}, NULL);
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  while (read(ends[0], &told, sizeof told) == sizeof told)
    committed = told;
  close(ends[0]);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return committed;
}

/* All rows in the file are complete. There are as many as were committed, or one unreported batch more. */
static uint64_t check_rows(const char *name, uint64_t committed) {
  ct_freed(store_close_at) struct store *store = rig_open(name);
  if (!store)
    return 0;
  const uint64_t count = store_count(store);
  EXPECT_GE(count, committed);
  EXPECT_TRUE(committed == 0 || count <= committed + BATCH);
  EXPECT_EQ(count % BATCH, 0);
  for (uint64_t i = 0; i < count; i++)
    EXPECT_TRUE(store_has(store, rig_row(i).key));
  return count;
}

TEST(store_kill, fifty_kills_lose_no_committed_row) {
  uint64_t seed = 11, count = 0;
  rig_remove("k");
  for (int i = 0; i < KILLS; i++) {
    ct_note("kill %d", i);
    const uint64_t commits = ct_random(&seed) % 4;
    const uint64_t now = check_rows("k", kill_one("k", commits, 8000000, &seed));
    EXPECT_GE(now, count);
    count = now;
    EXPECT_STREQ(rig_query("k", "PRAGMA integrity_check"), "ok\n");
  }
  EXPECT_GT(count, KILLS);
  EXPECT_FALSE(rig_exists("k-journal"));
  EXPECT_EQ(atoi(rig_query("k", "SELECT count(*) FROM effort")), count);

  rig_remove("whole");
  ct_freed(store_close_at) struct store *store = rig_open("whole");
  for (uint64_t i = 0; i < count; i++) {
    const struct store_row row = rig_row(i);
    EXPECT_TRUE(store_add(store, &row, message));
  }
  EXPECT_TRUE(store_commit(store, message));
  ct_freed(ct_free) char *undisturbed = strdup(rig_points("whole"));
  EXPECT_STREQ(rig_points("k"), undisturbed);
}

TEST(store_kill, an_interrupted_creation_is_completed_the_next_time) {
  uint64_t seed = 5;
  for (int i = 0; i < KILLS; i++) {
    ct_note("kill %d", i);
    rig_remove("k");
    check_rows("k", kill_one("k", 0, 6000000, &seed));
    EXPECT_STREQ(rig_query("k", "PRAGMA integrity_check"), "ok\n");
  }
}

/* ---- others ---------------------------------------------------------------------------------------- */

enum { AFTERWARDS = 100000000 /* nanoseconds */ };

/* Inherits its parent's descriptors and ends a little after the parent. */
static void outlive(pid_t parent, int ready) {
  if (write(ready, &parent, sizeof parent) != sizeof parent)
    _exit(1);
  while (getppid() == parent)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  nanosleep(&(struct timespec){.tv_nsec = AFTERWARDS}, NULL);
  _exit(0);
}

/* Starts a process that has the file open with an uncommitted row, and has a child; returns 0 on failure. */
static pid_t hold(const char *name) {
  int ends[2];
  pid_t ready = 0;
  fflush(NULL);
  if (pipe(ends) != 0)
    abort();
  const pid_t process = fork();
  if (process == 0) {
    struct store *store = store_open(rig_path(name), &rig_subject, message);
    const struct store_row row = rig_row(100);
    const pid_t parent = getpid();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the tests themselves are killed, no process is left */
    if (!store || !store_add(store, &row, message))
      _exit(1);
    if (fork() == 0)
      outlive(parent, ends[1]);
    for (close(ends[1]);;)
      pause();
  }
  close(ends[1]);
  const bool held = read(ends[0], &ready, sizeof ready) == sizeof ready;
  close(ends[0]);
  return held ? process : 0;
}

static void end(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, NULL, 0);
}

TEST(store_kill, a_second_writer_is_refused_until_the_first_has_ended) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  const pid_t holder = hold("a");
  ASSERT_TRUE(holder);
  EXPECT_FALSE(store_open(rig_path("a"), &rig_subject, message));
  EXPECT_CONTAINS(message->text, "/a: another sweep is writing it");
  end(holder);
  ct_freed(store_close_at) struct store *store = rig_open("a");
  ASSERT_TRUE(store);
  EXPECT_EQ(store_count(store), RIG_POINTS);
}

TEST(store_kill, readers_see_committed_rows_during_writing) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  const pid_t holder = hold("a");
  ASSERT_TRUE(holder);
  EXPECT_STREQ(rig_query("a", "SELECT count(*) FROM points"), "24\n");
  ct_freed(store_close_at) struct store *store = store_open_to_read(rig_path("a"), message);
  ASSERT_TRUE(store);
  EXPECT_EQ(store_count(store), RIG_POINTS);
  end(holder);
}

static void add_one(struct message *told) {
  struct store *store = store_open(rig_path("a"), &rig_subject, told);
  const struct store_row row = rig_row(100);
  if (store && store_add(store, &row, told) && store_commit(store, told))
    store_close(store);
}

/* Reads the first row, reports it, and ends the statement on request, in a process that never writes. */
static void read_for_a_while(int said, int told) {
  char byte = 0;
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  sqlite3_open(rig_path("a"), &database);
  sqlite3_prepare_v2(database, "SELECT * FROM points", -1, &statement, NULL);
  if (sqlite3_step(statement) != SQLITE_ROW || write(said, &byte, 1) != 1 || read(told, &byte, 1) != 1)
    _exit(1);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  _exit(sqlite3_finalize(statement) != SQLITE_OK);
}

TEST(store_kill, a_commit_waits_for_a_reading_statement) {
  int said[2], told[2], status = 1;
  char byte = 0;
  struct timespec from, to;
  rig_remove("a");
  rig_fill("a", 0, 1);
  fflush(NULL);
  ASSERT_TRUE(pipe(said) == 0 && pipe(told) == 0);
  const pid_t process = fork();
  if (process == 0)
    read_for_a_while(said[1], told[0]);
  ASSERT_EQ(read(said[0], &byte, 1), 1);
  clock_gettime(CLOCK_MONOTONIC, &from);
  ASSERT_EQ(write(told[1], &byte, 1), 1);
  message->text[0] = '\0';
  add_one(message);
  clock_gettime(CLOCK_MONOTONIC, &to);
  EXPECT_STREQ(message->text, "");
  EXPECT_GE((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000, 90);
  waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(rig_query("a", "SELECT count(*) FROM points"), "25\n");
  for (int i = 0; i < 2; i++) {
    close(said[i]);
    close(told[i]);
  }
}

/* ---- disks ----------------------------------------------------------------------------------------- */

static void limit_files(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
}

static void make_on_a_full_disk(struct message *told) {
  limit_files(6000);
  if (store_open(rig_path("a"), &rig_subject, told))
    message_fail(told, "opened");
}

TEST(store_kill, a_full_disk_leaves_no_partial_new_file) {
  rig_remove("a");
  EXPECT_CONTAINS(rig_ask(make_on_a_full_disk, false), "/a: cannot be written: File too large");
  EXPECT_FALSE(rig_exists("a"));
  EXPECT_FALSE(rig_exists("a-journal"));
}

static void add_on_a_full_disk(struct message *told) {
  struct stat status;
  stat(rig_path("a"), &status);
  struct store *store = store_open(rig_path("a"), &rig_subject, told);
  limit_files((rlim_t)status.st_size + 5000);
  for (uint64_t i = RIG_POINTS; store && i < 1000; i++) {
    const struct store_row row = rig_row(i);
    if (!store_add(store, &row, told))
      break;
  }
  if (store && !told->text[0])
    store_commit(store, told);
  if (store)
    store_close(store);
}

TEST(store_kill, a_full_disk_loses_only_uncommitted_rows) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  ct_freed(ct_free) char *before = strdup(rig_points("a"));
  EXPECT_CONTAINS(rig_ask(add_on_a_full_disk, false), "/a: cannot be written: File too large");
  EXPECT_STREQ(rig_points("a"), before);
  EXPECT_STREQ(rig_query("a", "PRAGMA integrity_check"), "ok\n");
  EXPECT_FALSE(rig_exists("a-journal"));
}

TEST(store_kill, an_unwritable_file_or_folder_is_reported_on_opening) {
  char here[256];
  rig_remove("a");
  rig_fill("a", 0, 1);
  snprintf(here, sizeof here, "%s", rig_path("."));
  chmod(rig_path("a"), 0444);
  chmod(here, 0755);
  EXPECT_CONTAINS(rig_ask(add_one, true), "/a: cannot be written: Permission denied");
  chmod(rig_path("a"), 0666);
  chmod(here, 0555);
  EXPECT_CONTAINS(rig_ask(add_one, true), "/a: cannot be written: Permission denied (its journal)");
  chmod(here, 0755);
  EXPECT_STREQ(rig_query("a", "SELECT count(*) FROM points"), "24\n");
}
