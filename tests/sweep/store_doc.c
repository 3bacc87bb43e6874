/* docs/sweep-store.md compared with a file. */
#include <stdlib.h>
#include <string.h>

#include "sim/replay/trial.h"
#include "tests/ct.h"
#include "tests/sweep/fixture.h"
#include "tests/sweep/store_rig.h"
#include "tools/sweep/store.h"

static int lines_that_begin(const char *text, const char *begin) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, begin)); at++)
    count += at == text || at[-1] == '\n';
  return count;
}

TEST(store_doc, the_page_lists_the_columns_of_each_table) {
  static const char *const tables[] = {"sweep", "axes", "metrics", "effort", "points"};
  ct_freed(ct_free) char *page = fixture_page("docs/sweep-store.md");
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(rig_query("a", "SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'table'"),
               "sweep axes metrics effort points\n");
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char sql[200], begin[64];
    const bool points = strcmp(tables[i], "points") == 0;
    snprintf(sql, sizeof sql, "SELECT '| `%s` | `' || name || '` | ' || type || ' |' FROM pragma_table_info('%s')%s",
             tables[i], tables[i], points ? " LIMIT 4" : "");
    ct_freed(ct_free) char *rows = strdup(rig_query("a", sql));
    int count = 0;
    for (char *row = strtok(rows, "\n"); row; row = strtok(NULL, "\n"), count++)
      EXPECT_CONTAINS(page, row);
    snprintf(begin, sizeof begin, "| `%s` |", tables[i]);
    EXPECT_EQ(lines_that_begin(page, begin), count);
  }
}

TEST(store_doc, the_page_lists_all_statuses) {
  char *page = fixture_page("docs/sweep-store.md");
#define X(name, text) EXPECT_CONTAINS(page, "\n| `" #name "` | " text " |\n");
  OUTCOMES(X)
#undef X
  free(page);
}

TEST(store_doc, the_page_states_the_numbers_of_the_file_format) {
  char *page = fixture_page("docs/sweep-store.md"), said[64];
  rig_remove("a");
  rig_fill("a", 0, 1);
  snprintf(said, sizeof said, "`PRAGMA application_id` is %d,", atoi(rig_query("a", "PRAGMA application_id")));
  EXPECT_CONTAINS(page, said);
  snprintf(said, sizeof said, "of this page: %d.", STORE_VERSION);
  EXPECT_CONTAINS(page, said);
  free(page);
}

TEST(store_doc, the_queries_on_the_page_return_rows) {
  char *page = fixture_page("docs/sweep-store.md"), *sql = strstr(page, "```sql\n"),
       *end = sql ? strstr(sql + 7, "```") : NULL;
  rig_remove("a");
  rig_fill("a", 0, 1);
  int count = 0;
  for (char *query = sql ? sql + 7 : NULL, *next; query && (next = strchr(query, ';')) && next < end; query = next) {
    *next++ = '\0';
    ct_note("%s", query);
    const char *rows = rig_query("a", query);
    EXPECT_TRUE(rows[0] && strncmp(rows, "error", 5) != 0);
    count++;
  }
  EXPECT_EQ(count, 5);
  free(page);
}
