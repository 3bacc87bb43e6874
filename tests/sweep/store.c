/* Rows and files of results, without failures other than the intended ones. */
#include "tools/sweep/store.h"
#include "sim/replay/trial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/ct.h"
#include "tests/sweep/store_rig.h"

CT_FREES(struct store, store_close)

static struct message message[1];

/* The message of store_open() for a subject. */
static const char *open_as(const char *name, const struct store_subject *subject) {
  message->text[0] = '\0';
  struct store *store = store_open(rig_path(name), subject, message);
  if (store)
    store_close(store);
  return store ? "" : strchr(message->text, ':');
}

static const char *open_to_read(const char *path) {
  message->text[0] = '\0';
  struct store *store = store_open_to_read(path, message);
  if (store)
    store_close(store);
  return store ? "" : message->text;
}

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(rig_path(name), "w");
  fputs(text, file);
  fclose(file);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

TEST(store, a_row_reads_back_as_it_was_added) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(rig_query("a", "SELECT * FROM points WHERE number = 3"),
               "define.T=0x10 dma.channels=1 machine=h200 round=0|3|finished|NULL|1|16|h200|1010|0.551912568306011|"
               "NULL\n");
  EXPECT_STREQ(rig_query("a", "SELECT \"dma.channels\", status, reason, cycles, microseconds FROM points "
                              "WHERE number = 13"),
               "2|deadlock|warps 0, 1 \"wait\"\nin line 3|NULL|NULL\n");
  EXPECT_STREQ(rig_query("a", "SELECT * FROM effort ORDER BY key LIMIT 1"),
               "define.T=010 dma.channels=1 machine=h200 round=0|0.25|replay\n");
}

TEST(store, numeric_words_are_stored_as_numbers) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(rig_query("a", "SELECT DISTINCT \"define.T\", typeof(\"define.T\") FROM points ORDER BY number"),
               "half|text\n16|integer\n1.5|real\n010|text\n");
  EXPECT_STREQ(rig_query("a", "SELECT DISTINCT typeof(\"dma.channels\"), typeof(machine), typeof(cycles), "
                              "typeof(microseconds) FROM points WHERE status = 'finished'"),
               "integer|text|integer|real\n");
}

TEST(store, axes_that_vary_together_are_one_factor) {
  struct sweep_plan plan = rig_plan;
  struct store_subject subject = rig_subject;
  plan.axis[1].factor = 0;
  for (size_t i = 2; i < plan.axes; i++)
    plan.axis[i].factor--;
  plan.factors--;
  subject.plan = &plan;
  rig_remove("zip");
  store_close(store_open(rig_path("zip"), &subject, message));
  EXPECT_STREQ(rig_query("zip", "SELECT value FROM sweep WHERE name = 'factors'"), "dma.channels+define.T machine\n");
}

TEST(store, knows_uncommitted_points_too) {
  rig_remove("a");
  ct_freed(store_close_at) struct store *store = rig_open("a");
  ASSERT_TRUE(store);
  struct store_row row = rig_row(5);
  EXPECT_FALSE(store_has(store, row.key));
  EXPECT_TRUE(store_add(store, &row, message));
  EXPECT_TRUE(store_has(store, row.key));
  EXPECT_EQ(store_count(store), 1);
  EXPECT_TRUE(store_commit(store, message));
  EXPECT_TRUE(store_has(store, row.key));
  EXPECT_FALSE(store_has(store, rig_row(6).key));
}

TEST(store, uncommitted_rows_are_discarded) {
  rig_remove("a");
  ct_freed(store_close_at) struct store *store = rig_open("a");
  ASSERT_TRUE(store);
  struct store_row row = rig_row(5);
  EXPECT_TRUE(store_add(store, &row, message));
  EXPECT_TRUE(store_commit(store, message));
  row = rig_row(6);
  EXPECT_TRUE(store_add(store, &row, message));
  EXPECT_STREQ(rig_query("a", "SELECT number FROM points"), "5\n");
  EXPECT_STREQ(rig_query("a", "SELECT count(*) FROM effort"), "1\n");
}

TEST(store, an_existing_point_is_not_written_again) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  ct_freed(ct_free) char *before = strdup(rig_points("a"));
  ct_freed(store_close_at) struct store *store = rig_open("a");
  ASSERT_TRUE(store);
  struct store_row row = rig_row(5);
  row.metric = (double[]){1, 2, 3};
  EXPECT_FALSE(store_add(store, &row, message));
  EXPECT_CONTAINS(message->text, "/a: already has the point: define.T=0x10 dma.channels=4 machine=h200 round=0");
  EXPECT_TRUE(store_commit(store, message));
  EXPECT_STREQ(rig_points("a"), before);
}

TEST(store, a_status_is_one_of_the_defined_rows) {
  rig_remove("a");
  struct store *store = rig_open("a");
  ASSERT_TRUE(store);
  uint64_t number = 0;
#define X(name, text)                                                                                                  \
  {                                                                                                                    \
    struct store_row row = rig_row(number++);                                                                          \
    row.status = #name;                                                                                                \
    EXPECT_TRUE(store_add(store, &row, message));                                                                      \
  }
  OUTCOMES(X)
#undef X
  struct store_row row = rig_row(number);
  row.status = "";
  EXPECT_FALSE(store_add(store, &row, message));
  EXPECT_CONTAINS(message->text, "status");
  store_close(store);
}

TEST(store, is_one_file_after_it_is_closed) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_FALSE(rig_exists("a-journal"));
  EXPECT_FALSE(rig_exists("a-wal"));
  EXPECT_FALSE(rig_exists("a-shm"));
}

TEST(store, points_do_not_depend_on_the_order_in_which_they_were_added) {
  rig_remove("a");
  rig_remove("b");
  rig_fill("a", 0, 1);
  for (uint64_t first = 5; first-- > 0;)
    rig_fill("b", first, 5);
  ct_freed(ct_free) char *one = strdup(rig_points("a"));
  EXPECT_STREQ(rig_points("b"), one);
}

/* ---- files that are not results -------------------------------------------------------------------- */

TEST(store, names_of_files_are_only_names) {
  rig_remove("file:x?mode=memory");
  rig_fill("file:x?mode=memory", 0, 1);
  EXPECT_TRUE(rig_exists("file:x?mode=memory"));
  EXPECT_STREQ(open_to_read(":memory:"), ":memory:: No such file or directory");
  EXPECT_STREQ(open_to_read(""), ": No such file or directory");
}

TEST(store, other_files_are_refused_and_left_unchanged) {
  char text[2000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  write_file("long", text);
  write_file("short", "hello\n");
  rig_remove("foreign");
  rig_query("foreign", "CREATE TABLE t(a); INSERT INTO t VALUES(7)");
  rig_remove("numbered");
  rig_query("numbered", "CREATE TABLE t(a); PRAGMA user_version = 1");
  mkdir(rig_path("folder"), 0777);
  static const char *const rows[][2] = {{"long", ": is not a SQLite database"},
                                        {"short", ": is not a SQLite database"},
                                        {"foreign", ": is a database, but not a sweep's"},
                                        {"numbered", ": is a database, but not a sweep's"},
                                        {"folder", ": Is a directory"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i][0]);
    EXPECT_CONTAINS(open_to_read(rig_path(rows[i][0])), rows[i][1]);
    EXPECT_CONTAINS(open_as(rows[i][0], &rig_subject), strchr(rows[i][1], ' '));
  }
  EXPECT_STREQ(rig_query("foreign", "SELECT a FROM t"), "7\n");
  struct stat status;
  EXPECT_TRUE(stat(rig_path("long"), &status) == 0 && status.st_size == sizeof text - 1);
  EXPECT_CONTAINS(open_to_read("/dev/null"), "/dev/null: is not a regular file");
  EXPECT_CONTAINS(open_as("no/such", &rig_subject), "cannot be written: No such file or directory");
  write_file("empty", "");
  EXPECT_CONTAINS(open_to_read(rig_path("empty")), "empty: is empty");
  EXPECT_STREQ(open_as("empty", &rig_subject), "");
}

TEST(store, another_version_is_refused) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  rig_query("a", "PRAGMA user_version = 2");
  EXPECT_STREQ(open_as("a", &rig_subject), ": has version 2, but this program reads version 1");
  EXPECT_CONTAINS(open_to_read(rig_path("a")), ": has version 2, but this program reads version 1");
}

TEST(store, a_damaged_file_is_reported) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  FILE *file = fopen(rig_path("a"), "r+");
  fseek(file, 100, SEEK_SET);
  for (int i = 0; i < 3996; i++)
    putc(0xff, file);
  fclose(file);
  EXPECT_CONTAINS(open_to_read(rig_path("a")), "is damaged: ");
  EXPECT_CONTAINS(open_as("a", &rig_subject), "is damaged: ");
}

TEST(store, unexpected_columns_are_reported_as_damage) {
  static const char *const changes[] = {
      "ALTER TABLE points RENAME COLUMN cycles TO cyclez", "ALTER TABLE points ADD COLUMN more",
      "UPDATE metrics SET name = 'cyclez' WHERE name = 'cycles'", "DELETE FROM axes WHERE position = 1"};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    rig_fill("columns", 0, 1);
    rig_query("columns", changes[i]);
    EXPECT_CONTAINS(open_to_read(rig_path("columns")), "is damaged: the columns of `points`");
    rig_remove("columns");
  }
}

/* A query of the view would not end. */
TEST(store, a_view_instead_of_a_table_is_refused) {
  rig_fill("view", 0, 1);
  rig_query("view", "DROP TABLE sweep; CREATE VIEW sweep(name, value) AS WITH RECURSIVE r(i) AS "
                    "(SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i, i FROM r");
  EXPECT_CONTAINS(open_to_read(rig_path("view")), "view: cannot be read: ");
  EXPECT_CONTAINS(open_as("view", &rig_subject), ": cannot be written: ");
  rig_remove("view");
}

TEST(store, an_oversized_cell_is_refused) {
  rig_fill("huge", 0, 1);
  rig_query("huge", "UPDATE sweep SET value = zeroblob(1 << 25) WHERE name = 'factors'");
  EXPECT_CONTAINS(open_to_read(rig_path("huge")), "huge: cannot be read: string or blob too big");
  rig_remove("huge");
}

TEST(store, a_trigger_does_not_run) {
  rig_fill("trigger", 0, 2);
  rig_query("trigger", "CREATE TRIGGER never AFTER INSERT ON points BEGIN INSERT INTO sweep WITH RECURSIVE r(i) AS "
                       "(SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i), 1 FROM r; END");
  rig_fill("trigger", 1, 2);
  EXPECT_STREQ(open_to_read(rig_path("trigger")), "");
  rig_remove("trigger");
}

/* ---- of another sweep ------------------------------------------------------------------------------ */

static const char *open_with_facts(const struct store_fact *facts, size_t count) {
  struct store_subject subject = rig_subject;
  subject.facts = facts;
  subject.fact_count = count;
  return open_as("a", &subject);
}

TEST(store, facts_are_compared_with_those_in_the_file) {
  static const struct store_fact host[] = {{"kernel.cl", "8f3a"}, {"seed", "1"}, {"~host", "there"}, {"~new", "x"}},
                                 kernel[] = {{"kernel.cl", "0000000000000000000000000000000000000000000000"},
                                             {"seed", "1"}},
                                 seed[] = {{"kernel.cl", "8f3a"}, {"seed", "2"}},
                                 more[] = {{"kernel.cl", "8f3a"}, {"seed", "1"}, {"mem.h", "1234"}};
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(open_with_facts(host, 4), "");
  EXPECT_STREQ(open_with_facts(kernel, 2), ": belongs to another sweep: kernel.cl has changed");
  EXPECT_STREQ(open_with_facts(seed, 2), ": belongs to another sweep: seed has changed: there '1', here '2'");
  EXPECT_STREQ(open_with_facts(more, 3), ": belongs to another sweep: mem.h is missing there");
  EXPECT_STREQ(open_with_facts(more, 1), ": belongs to another sweep: seed is only there");
}

TEST(store, axes_are_compared_with_those_in_the_file) {
  struct sweep_plan plan = rig_plan;
  struct store_subject subject = rig_subject;
  subject.plan = &plan;
  rig_remove("a");
  rig_fill("a", 0, 1);
  plan.axis[0].count = 2;
  EXPECT_STREQ(open_as("a", &subject),
               ": belongs to another sweep: axis dma.channels has changed: there '1 2 4', here '1 2'");
  plan = rig_plan;
  plan.axes = 2;
  EXPECT_STREQ(open_as("a", &subject), ": belongs to another sweep: axis machine is only there");
  plan.axes = 3;
  plan.axis[0] = rig_plan.axis[1];
  plan.axis[1] = rig_plan.axis[0];
  EXPECT_STREQ(open_as("a", &subject), ": belongs to another sweep: axis dma.channels is in another place");
}

TEST(store, metrics_are_compared_with_those_in_the_file) {
  struct store_metric metrics[3];
  struct store_subject subject = rig_subject;
  memcpy(metrics, rig_subject.metrics, sizeof metrics);
  subject.metrics = metrics;
  rig_remove("a");
  rig_fill("a", 0, 1);
  metrics[1].text = "said in other words";
  EXPECT_STREQ(open_as("a", &subject), "");
  metrics[1].unit = "ns";
  EXPECT_STREQ(open_as("a", &subject),
               ": belongs to another sweep: metric microseconds has changed: there 'us', here 'ns'");
  subject.metric_count = 1;
  EXPECT_STREQ(open_as("a", &subject), ": belongs to another sweep: metric microseconds is only there");
}

TEST(store, columns_that_differ_only_in_case_are_refused_and_leave_no_file) {
  struct sweep_plan plan = rig_plan;
  struct store_subject subject = rig_subject;
  subject.plan = &plan;
  plan.axis[0].name = (char[]){"define.t"};
  rig_remove("a");
  EXPECT_STREQ(open_as("a", &subject), ": cannot have both columns 'define.t' and 'define.T'");
  EXPECT_FALSE(rig_exists("a"));
}

TEST(store, reports_what_the_file_is_about) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(rig_query("a", "SELECT name, value FROM sweep ORDER BY name"),
               "factors|dma.channels define.T machine\nkernel.cl|8f3a\nseed|1\n~host|here\n");
  EXPECT_STREQ(rig_query("a", "SELECT * FROM axes"), "0|dma.channels|parameter|1 2 4\n"
                                                     "1|define.T|define|half 0x10 1.5 010\n"
                                                     "2|machine|machine|h200 my,machine\n");
  EXPECT_STREQ(rig_query("a", "SELECT name, unit FROM metrics WHERE position < 2"), "cycles|cycles\nmicroseconds|us\n");
}
