/* Merging files of results and reading their contents. */
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/sweep/store_rig.h"
#include "tools/sweep/store.h"

CT_FREES(struct store, store_close)

static struct message message[1];

static struct store *open_merged(const char *other) {
  rig_remove("all");
  char path[256];
  snprintf(path, sizeof path, "%s", rig_path(other));
  struct store *store = store_open_like(rig_path("all"), path, message);
  EXPECT_TRUE(store);
  return store;
}

static void fill_shards(char names[8][8]) {
  for (uint64_t i = 0; i < 8; i++) {
    snprintf(names[i], sizeof names[i], "s%d", (int)i);
    rig_remove(names[i]);
    rig_fill(names[i], i, 8);
  }
}

/* ---- merging --------------------------------------------------------------------------------------- */

TEST(store_merge, eight_shards_are_one_sweep) {
  char names[8][8];
  uint64_t added = 0, sum = 0;
  fill_shards(names);
  ct_freed(store_close_at) struct store *store = open_merged(names[3]);
  ASSERT_TRUE(store);
  for (int i = 7; i >= 0; i--) {
    EXPECT_TRUE(store_merge(store, rig_path(names[i]), &added, message));
    sum += added;
  }
  EXPECT_TRUE(store_merge(store, rig_path(names[2]), &added, message)); /* again */
  EXPECT_EQ(added, 0);
  EXPECT_EQ(sum, RIG_POINTS);
  EXPECT_TRUE(store_commit(store, message));
  rig_remove("one");
  rig_fill("one", 0, 1);
  static const char *const tables[] = {"SELECT * FROM points ORDER BY key",
                                       "SELECT * FROM effort ORDER BY key",
                                       "SELECT * FROM axes",
                                       "SELECT * FROM metrics",
                                       "SELECT * FROM sweep ORDER BY name",
                                       "SELECT sql FROM sqlite_schema ORDER BY name",
                                       "PRAGMA application_id",
                                       "PRAGMA user_version"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    ct_note("%s", tables[i]);
    ct_freed(ct_free) char *one = strdup(rig_query("one", tables[i]));
    EXPECT_STREQ(rig_query("all", tables[i]), one);
  }
}

/* The message of merging "b" into a copy of all points, after `change` was applied to it. */
static const char *merge_changed(const char *change) {
  uint64_t added = 0;
  rig_remove("b");
  rig_fill("b", 0, 1);
  EXPECT_STREQ(rig_query("b", change), "");
  rig_remove("all");
  rig_fill("all", 0, 2);
  struct store *store = rig_open("all");
  message->text[0] = '\0';
  const bool good = store && store_merge(store, rig_path("b"), &added, message);
  store_close(store);
  EXPECT_STREQ(rig_query("all", "SELECT count(*) FROM points"), "12\n");
  return good ? "" : strstr(message->text, "/b: ");
}

TEST(store_merge, duplicate_rows_must_be_equal) {
  EXPECT_CONTAINS(merge_changed("UPDATE points SET cycles = 7 WHERE number = 4"), "/b: cycles is 7, but 1047 in");
  EXPECT_CONTAINS(message->text, "for the point define.T=0x10 dma.channels=2 machine=h200 round=0");
  EXPECT_CONTAINS(merge_changed("UPDATE points SET cycles = NULL WHERE number = 4"),
                  "/b: cycles is missing, but 1047 in");
  EXPECT_CONTAINS(merge_changed("UPDATE points SET number = 5 WHERE number = 4"), "/b: number is 5, but 4 in");
  EXPECT_CONTAINS(merge_changed("UPDATE points SET microseconds = microseconds + 2e-16 WHERE number = 4"),
                  "/b: microseconds is 0.5721311475409838, but 0.5721311475409836 in");
  EXPECT_CONTAINS(merge_changed("UPDATE points SET status = 'failed' WHERE number = 6"),
                  "/b: status is failed, but deadlock in");
  EXPECT_STREQ(merge_changed("UPDATE points SET cycles = 7 WHERE number = 5"), ""); /* the row exists only once */
  EXPECT_STREQ(merge_changed("UPDATE effort SET seconds = 7, how = 'run'"), "");
}

TEST(store_merge, files_of_other_sweeps_are_refused) {
  EXPECT_CONTAINS(merge_changed("UPDATE sweep SET value = '2' WHERE name = 'seed'"),
                  "/b: belongs to another sweep: seed has changed: there '2', here '1'");
  EXPECT_STREQ(merge_changed("UPDATE sweep SET value = '2' WHERE name = '~host'"), "");
  EXPECT_CONTAINS(merge_changed("UPDATE axes SET words = '1 2 4 8' WHERE position = 0"),
                  "/b: belongs to another sweep: axis dma.channels has changed: there '1 2 4 8', here '1 2 4'");
  EXPECT_CONTAINS(merge_changed("PRAGMA user_version = 9"), "/b: has version 9");
}

TEST(store_merge, a_file_is_not_merged_with_itself) {
  uint64_t added = 0;
  rig_remove("a");
  rig_fill("a", 0, 1);
  ct_freed(store_close_at) struct store *store = rig_open("a");
  EXPECT_FALSE(store_merge(store, rig_path("a"), &added, message));
  EXPECT_CONTAINS(message->text, "/a: cannot be merged with itself");
}

/* ---- CSV ------------------------------------------------------------------------------------------- */

static char *csv_of(const char *name) {
  char *text = NULL;
  size_t size = 0;
  struct store *store = store_open_to_read(rig_path(name), message);
  FILE *file = open_memstream(&text, &size);
  EXPECT_TRUE(store && store_csv(store, file, message));
  fclose(file);
  if (store)
    store_close(store);
  return text;
}

TEST(store_merge, csv_is_ordered_by_number_and_quotes_where_necessary) {
  rig_remove("a");
  for (uint64_t first = 7; first-- > 0;)
    rig_fill("a", first, 7);
  ct_freed(ct_free) char *text = csv_of("a");
  static const char begin[] = "number,status,reason,dma.channels,define.T,machine,cycles,microseconds,"
                              "\"odd \"\"name\"\"\"\n"
                              "0,finished,,1,half,h200,1000,0.546448087431694,\n"
                              "1,finished,,2,half,h200,1037,0.5666666666666667,\n";
  EXPECT_TRUE(strncmp(text, begin, strlen(begin)) == 0);
  EXPECT_CONTAINS(text, "\n13,deadlock,\"warps 0, 1 \"\"wait\"\"\nin line 3\",2,half,\"my,machine\",,,\n");
  int lines = 0;
  for (const char *at = text; *at; at++)
    lines += *at == '\n';
  EXPECT_EQ(lines, 1 + RIG_POINTS + 3); /* three deadlocks have a reason of two lines */
}

TEST(store_merge, numbers_in_csv_equal_those_in_the_file) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  char *text = csv_of("a"), *line = strchr(text, '\n') + 1;
  for (uint64_t number = 0; number < 6; number++, line = strchr(line, '\n') + 1) {
    double cycles = 0, microseconds = 0;
    ct_note("%.*s", (int)strcspn(line, "\n"), line);
    ASSERT_EQ(sscanf(line, "%*[^,],finished,,%*[^,],%*[^,],%*[^,],%lf,%lf", &cycles, &microseconds), 2);
    EXPECT_TRUE(cycles == rig_row(number).metric[0] && microseconds == rig_row(number).metric[1]);
  }
  free(text);
}

/* ---- info and the best points ----------------------------------------------------------------------- */

static void note(void *context, const char *name, const char *value) { fprintf(context, "%s=%s;", name, value); }

TEST(store_merge, reports_statuses_and_the_best_points) {
  ct_freed(ct_free) char *text = NULL;
  size_t size = 0;
  rig_remove("a");
  rig_fill("a", 0, 1);
  ct_freed(store_close_at) struct store *store = store_open_to_read(rig_path("a"), message);
  ASSERT_TRUE(store);
  FILE *file = open_memstream(&text, &size);
  EXPECT_TRUE(store_statuses(store, note, file, message));
  EXPECT_TRUE(store_metrics(store, note, file, message));
  EXPECT_TRUE(store_best(store, &(struct store_order){"cycles", false, 2}, note, file, message));
  EXPECT_TRUE(store_best(store, &(struct store_order){"cycles", true, 1}, note, file, message));
  EXPECT_FALSE(store_best(store, &(struct store_order){"cycle", true, 1}, note, file, message));
  fclose(file);
  EXPECT_CONTAINS(message->text, "/a: has no metric 'cycle'; did you mean 'cycles'?");
  EXPECT_STREQ(text, "finished=21;deadlock=3;cycles=cycles;microseconds=us;odd \"name\"=;"
                     "define.T=half dma.channels=1 machine=h200 round=0=1000;"
                     "define.T=010 dma.channels=4 machine=h200 round=0=1003;"
                     "define.T=1.5 dma.channels=2 machine=my,machine round=0=1097;");
}
