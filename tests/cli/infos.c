/* The counts of `trace info`: numbers calculated by hand, sums that agree, keys that the manual lists. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

/* Two work-groups of two warps. In the first group's second warp and in the second group, lanes from 48 on read
 * nothing. */
enum { GROUPS = 2, WARPS = 2, LANES = 32, ITEMS = GROUPS * WARPS * LANES, READ = 48, CODE = 11 };

static json_t *record_and_report(void) {
  tool_folder();
  tool_file("count.wws", CT_KERNEL(kernel));
  struct outcome run = tool("run count.wws --global 128 --local 64 --arg buffer:data=4096 --arg local:256 --out o "
                            "--trace t.wwt");
  ct_note("%s", run.err);
  EXPECT_EQ(run.status, 0);
  outcome_free(&run);
  ct_freed(outcome_free) struct outcome info = tool("trace info t.wwt --json");
  json_t *root = json_loads(info.out, 0, NULL);
  EXPECT_EQ(info.status, 0);
  EXPECT_TRUE(root);
  return root;
}

static json_int_t number(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

/* The element in which `key` is `value`. */
static const json_t *with(const json_t *list, const char *key, const char *value) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *word = json_string_value(json_object_get(json_array_get(list, i), key));
    if (word && strcmp(word, value) == 0)
      return json_array_get(list, i);
  }
  return NULL;
}

TEST(infos, a_kernels_operations_bytes_and_copies_are_counted) {
  json_t *root = record_and_report();
  const json_t *count = json_array_get(json_object_get(root, "kernels"), 0),
               *classes = json_object_get(count, "classes");
  const json_t *load = with(classes, "class", "global load"), *add = with(classes, "class", "global atomic");
  const json_t *store = with(classes, "class", "lds store"),
               *in = with(json_object_get(count, "copy_forms"), "form", "plain in");
  EXPECT_EQ(number(count, "operations"), GROUPS * WARPS * CODE);
  EXPECT_EQ(number(load, "operations"), GROUPS * WARPS);
  EXPECT_EQ(number(load, "lanes"), READ);
  EXPECT_EQ(number(load, "accesses"), 2); /* the warps with lanes below 48 */
  EXPECT_EQ(number(load, "bytes"), 8 * READ);
  EXPECT_EQ(number(add, "bytes"), 4 * ITEMS);
  EXPECT_EQ(number(store, "bytes"), 4 * ITEMS);
  EXPECT_EQ(number(in, "copies"), GROUPS);
  EXPECT_EQ(number(in, "copy_bytes"), GROUPS * 16 * 4);
  EXPECT_EQ(number(with(classes, "class", "copy"), "operations"), GROUPS * WARPS);
  EXPECT_EQ(number(with(classes, "class", "barrier"), "operations"), GROUPS * WARPS);
  EXPECT_EQ(number(with(classes, "class", "wait"), "operations"), GROUPS * WARPS);
  json_decref(root);
}

TEST(infos, classes_lines_launches_and_kernels_add_up) {
  static const char *const keys[] = {"operations", "lanes", "accesses", "bytes", "copies", "copy_bytes"};
  static const char *const lists[] = {"classes", "by_line"};
  json_t *root = record_and_report();
  const json_t *count = json_array_get(json_object_get(root, "kernels"), 0);
  for (size_t list = 0; list < 2; list++)
    for (size_t key = 0; key < sizeof keys / sizeof *keys; key++) {
      const json_t *rows = json_object_get(count, lists[list]);
      json_int_t sum = 0;
      for (size_t i = 0; i < json_array_size(rows); i++)
        sum += number(json_array_get(rows, i), keys[key]);
      EXPECT_EQ(sum, number(count, keys[key]));
    }
  EXPECT_EQ(number(json_array_get(json_object_get(root, "launches"), 0), "operations"), number(root, "operations"));
  EXPECT_EQ(number(count, "operations"), number(root, "operations"));
  EXPECT_GT(number(root, "raw_bytes"), number(root, "block_bytes"));
  EXPECT_LT(number(root, "block_bytes"), number(root, "file_bytes"));
  json_decref(root);
}

TEST(infos, the_text_shows_what_each_source_line_did) {
  json_decref(record_and_report());
  struct outcome lines = tool("trace info t.wwt --lines"), plain = tool("trace info t.wwt"),
                 brief = tool("trace info t.wwt --brief");
  EXPECT_CONTAINS(lines.out, "kernel count in count.wws: 1 launch, 44 operations of warps, 30.2 lanes on average\n");
  EXPECT_CONTAINS(lines.out, "  global load                4    9.1   12.0             384\n");
  EXPECT_CONTAINS(lines.out, "  plain in                   2                           128\n");
  EXPECT_CONTAINS(lines.out, "             4   32.0                                   2             128      9  "
                             "copy.to_lds e, [v], [p], 16, size=4\n");
  EXPECT_CONTAINS(lines.out, "             4   12.0           2             384                             13  "
                             "@c ld.global.b64 q, [p]\n");
  EXPECT_TRUE(!strstr(plain.out, "copy.to_lds") && strstr(plain.out, "global load"));
  EXPECT_TRUE(!strstr(brief.out, "global load") && strstr(brief.out, "44 operations of warps"));
  outcome_free(&lines);
  outcome_free(&plain);
  outcome_free(&brief);
  ct_freed(outcome_free) struct outcome wrong = tool("trace info t.wwt --brief --json");
  EXPECT_EQ(wrong.status, 2);
}

/* `page` must list each key of the object, nested ones included, as `key`. */
static void expect_keys(const char *page, const json_t *at) {
  for (void *it = json_object_iter((json_t *)at); it; it = json_object_iter_next((json_t *)at, it)) {
    char key[80];
    snprintf(key, sizeof key, "`%s`", json_object_iter_key(it));
    ct_note("%s", key);
    EXPECT_TRUE(strstr(page, key));
    expect_keys(page, json_object_iter_value(it));
  }
  for (size_t i = 0; i < json_array_size(at); i++)
    expect_keys(page, json_array_get(at, i));
}

TEST(infos, the_manual_has_every_key) {
  FILE *file = fopen("docs/trace-tools.md", "rb");
  static char page[100000];
  EXPECT_TRUE(file);
  if (!file)
    return;
  page[fread(page, 1, sizeof page - 1, file)] = '\0';
  fclose(file);
  json_t *root = record_and_report();
  expect_keys(page, root);
  json_decref(root);
}
