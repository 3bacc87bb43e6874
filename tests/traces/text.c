/* The text of traces: a trace survives the round trip byte for byte, text written by hand means what it says, and
 * errors are reported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/traces/made.h"
#include "traces/text.h"

CT_FREES(struct trace, trace_close)
CT_FREES(struct trace_warp, trace_warp_free)

static const struct text_hooks none = {.self = NULL};

/* The text of a trace; the caller frees it. NULL, with a test failure, if there is none. */
static char *text_of(const char *path, enum trace_open_mode mode, size_t *size) {
  struct message error = {.text = ""};
  struct trace *trace = trace_open(path, mode, &error);
  char *text = NULL;
  FILE *to = open_memstream(&text, size);
  const bool good = trace && trace_text_write(trace, to, &none, &error);
  fclose(to);
  if (trace)
    trace_close(trace);
  EXPECT_TRUE(good || mode == TRACE_SALVAGE);
  return text;
}

/* Converts text to the trace at `path`; the error's text is "" on success. */
static struct message read_text(const char *text, size_t size, const char *path) {
  struct message error = {.text = ""}, closing = {.text = ""};
  struct trace_writer *writer = trace_writer_open(path, &error);
  FILE *from = fmemopen((void *)(uintptr_t)text, size, "r");
  if (trace_text_read(from, "T", writer, &none, &error))
    trace_writer_close(writer, &closing);
  else
    trace_writer_abandon(writer);
  fclose(from);
  return error.text[0] ? error : closing;
}

static bool same_file(const char *a, const char *b) {
  size_t size_a, size_b;
  uint8_t *bytes_a = made_read(a, &size_a), *bytes_b = made_read(b, &size_b);
  const bool same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

/* Whether trace to text to trace gives the same bytes. */
static bool comes_back(const char *path) {
  char other[300];
  size_t size = 0;
  ct_freed(ct_free) char *text = text_of(path, TRACE_WHOLE, &size);
  snprintf(other, sizeof other, "%s.back", path);
  const struct message error = read_text(text, size, other);
  const bool same = EXPECT_STREQ(error.text, "") && EXPECT_TRUE(same_file(path, other));
  unlink(other);
  return same;
}

TEST(text, a_trace_survives_a_text_round_trip_byte_for_byte) {
  static const uint32_t lanes[] = {1, 16, 32, 33, 64};
  const char *path = made_path("text");
  for (unsigned i = 0; i < 40; i++) {
    const struct made made = {.seed = 1 + i,
                              .lanes = lanes[i % 5],
                              .groups = 1 + i % 7,
                              .warps = 1 + i % 4,
                              .operations = 1 + i * 37,
                              .wild = i % 3 * 20};
    made_write(&made, path, false);
    ct_note("seed %u", i + 1);
    if (!comes_back(path))
      break;
  }
  unlink(path);
}

TEST(text, batches_and_blocks_keep_their_places) {
  const char *path = made_path("blocks");
  const struct made made = {.seed = 77, .lanes = 32, .groups = 9, .warps = 3, .operations = 3000, .wild = 60};
  made_write(&made, path, false);
  struct message error;
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  EXPECT_GT(trace_batches(trace), 9); /* some work-groups have several */
  comes_back(path);
  unlink(path);
}

TEST(text, metas_of_all_forms_survive_a_round_trip) {
  static const struct {
    const char *bytes;
    size_t size;
    const char *form;
  } metas[] = {
      {"", 0, " \"\"\n"},
      {"short", 5, " \"short\"\n"},
      {"quo\"ted \\", 9, " \"quo\\\"ted \\\\\"\n"},
      {"a line\nand another\n", 19, " text {\n  a line\n  and another\n}\n"},
      {"  two blanks\n\n}\n", 16, " text {\n    two blanks\n\n  }\n}\n"},
      {"a line\nno end", 13, " base64 {\n  YSBsaW5lCm5vIGVuZA==\n}\n"},
      {"\x00\x01\xff", 3, " base64 {\n  AAH/\n}\n"},
      {"{\"a b\":[1,{\"c\":\"}\"}],\"d\":[1,2]}", 31,
       " json {\n  {\n    \"a b\": [\n      1,\n      {\n        \"c\": \"}\"\n      }\n    ],\n    \"d\": [1, 2]\n  "
       "}\n}\n"},
      {"{\"a\": 1}", 8, " \"{\\\"a\\\": 1}\"\n"}, /* JSON would not reproduce these bytes */
      {"{\"a\":1", 6, " \"{\\\"a\\\":1\"\n"},
  };
  const char *path = made_path("metas");
  for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
    struct message error;
    size_t size;
    struct trace_writer *writer = trace_writer_open(path, &error);
    trace_write_meta(writer, i % 2 ? "plain" : "with blanks", metas[i].bytes, metas[i].size);
    EXPECT_TRUE(trace_writer_close(writer, &error));
    ct_freed(ct_free) char *text = text_of(path, TRACE_WHOLE, &size);
    ct_note("meta %zu: %s", i, text);
    EXPECT_CONTAINS(text, metas[i].form);
    comes_back(path);
  }
  unlink(path);
}

TEST(text, json_too_deep_to_indent_survives_in_another_form) {
  enum { DEEP = 20000 };
  const char *path = made_path("deep");
  struct message error;
  size_t size = 0;
  ct_freed(ct_free) char *meta = calloc(2 * DEEP + 8, 1);
  struct trace_writer *writer = trace_writer_open(path, &error);
  strcpy(meta, "{\"a\":");
  memset(meta + strlen(meta), '[', DEEP);
  memset(meta + strlen(meta), ']', DEEP);
  strcat(meta, "}");
  trace_write_meta(writer, "deep", meta, strlen(meta));
  EXPECT_TRUE(trace_writer_close(writer, &error));
  ct_freed(ct_free) char *text = text_of(path, TRACE_WHOLE, &size);
  EXPECT_CONTAINS(text, "meta deep base64 {");
  EXPECT_LT(size, 4 * DEEP);
  comes_back(path);
  unlink(path);
}

TEST(text, the_intact_part_of_a_damaged_trace_becomes_text) {
  const char *path = made_path("cut");
  size_t size, text_size;
  made_write(&(struct made){.seed = 5, .lanes = 32, .groups = 60, .warps = 3, .operations = 900, .wild = 60}, path,
             false);
  ct_freed(ct_free) uint8_t *bytes = made_read(path, &size);
  ASSERT_EQ(truncate(path, (off_t)(size * 2 / 3)), 0);
  ct_freed(ct_free) char *text = text_of(path, TRACE_SALVAGE, &text_size);
  EXPECT_CONTAINS(text, "\ngroup 0 launch=0");
  EXPECT_STREQ(read_text(text, text_size, path).text, "");
  unlink(path);
}

/* ---- all rows ---------------------------------------------------------------------------------- */

/* One instruction of each kind, with fields 100, 101, ..., except for left_out; flags and notes of all kinds. */
static void put_all_rows(FILE *to) {
  fputs("wwtt 1\nprogram {\n", to);
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++)
    fprintf(to, "  %s\n", trace_kind_rows[kind].name);
  fputs("}\nlaunch lanes=4\ngroup\nwarp 0\n", to);
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
    const struct trace_kind_row *row = &trace_kind_rows[kind];
    fprintf(to, "%u", kind);
    for (unsigned i = 0; i < row->fields; i++)
      fprintf(to, " %s=%u", row->field[i].name, row->vectors ? 1 : 100 + i);
    for (unsigned i = 0; i < row->vectors; i++)
      fprintf(to, " %s=%s", row->vector[i].name, i ? "[7 9 4]" : "0x10000+16*lane");
    for (unsigned bit = 0; bit < TRACE_FLAG_BITS; bit++)
      if (bit || kind + 1 == TRACE_KINDS)
        fprintf(to, " %s", trace_flag_names[bit]);
    fputc('\n', to);
    for (unsigned note = 0; note < TRACE_NOTE_KINDS; note++)
      fprintf(to, "note %s %u 20000 \"of \\\"%u\\\"\"\n", trace_note_names[note], kind, note);
  }
}

static void expect_row(const struct trace_op *op, unsigned kind) {
  const struct trace_kind_row *row = &trace_kind_rows[kind];
  ct_note("kind %s", row->name);
  EXPECT_EQ(op->kind, kind);
  EXPECT_EQ(op->flags, ((1u << TRACE_FLAG_BITS) - 1) & ~(kind + 1 == TRACE_KINDS ? 0u : 1u));
  for (unsigned i = 0; i < row->fields; i++)
    EXPECT_EQ(op->field[i], row->vectors ? 1 : 100 + i);
  for (unsigned i = 0; i < row->vectors; i++) {
    static const uint64_t listed[] = {0, 7, 9, 4};
    uint64_t value[TRACE_LANES];
    trace_spread(&op->vector[i], 4, value);
    for (unsigned lane = 1; lane < 4; lane++)
      EXPECT_EQ(value[lane], i ? listed[lane] : 0x10000 + 16 * lane);
  }
  EXPECT_EQ(op->notes, TRACE_NOTE_KINDS);
  for (unsigned note = 0; note < op->notes; note++) {
    char text[16];
    snprintf(text, sizeof text, "of \"%u\"", note);
    EXPECT_EQ(op->note[note].kind, note);
    EXPECT_EQ(op->note[note].values, 2);
    EXPECT_EQ(op->note[note].value[0], kind);
    EXPECT_EQ(op->note[note].value[1], 20000);
    EXPECT_STREQ(op->note[note].text, text);
  }
}

TEST(text, every_kind_field_vector_flag_and_note_has_its_place) {
  const char *path = made_path("rows");
  ct_freed(ct_free) char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  put_all_rows(to);
  fclose(to);
  ASSERT_STREQ(read_text(text, size, path).text, "");
  struct message error;
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  ct_freed(trace_warp_free_at) struct trace_warp *warp = trace_warp_new(trace);
  struct trace_op op;
  uint32_t pc;
  ASSERT_TRUE(trace_warp_start(warp, 0, 0, 0, &pc));
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
    ASSERT_TRUE(trace_decode(warp, &op));
    expect_row(&op, kind);
  }
  EXPECT_FALSE(trace_decode(warp, &op));
  comes_back(path);
  unlink(path);
}

/* ---- by hand ----------------------------------------------------------------------------------- */

static const char head[] = "wwtt 1\nprogram { # pc 0 to 3\n  plain access # two\n  plain*2\n}\n";

/* The text of the trace that `rest`, after the head, describes. The caller frees it. */
static char *read_by_hand(const char *rest) {
  const char *path = made_path("hand");
  char text[4000];
  size_t size;
  snprintf(text, sizeof text, "%s%s", head, rest);
  EXPECT_STREQ(read_text(text, strlen(text), path).text, "");
  EXPECT_TRUE(trace_validate(path, &(struct message){.text = ""}));
  char *back = text_of(path, TRACE_WHOLE, &size);
  unlink(path);
  return back;
}

/* The same, from its first work-group on. */
static void expect_groups(const char *rest, const char *groups) {
  ct_freed(ct_free) char *text = read_by_hand(rest);
  const char *found = strstr(text, "\ngroup");
  EXPECT_STREQ(found ? found : text, groups);
}

TEST(text, omitted_fields_have_defaults) {
  expect_groups("launch\ngroup\nwarp 0\n0\n1 address=4096\n3 done\n",
                "\ngroup 0 launch=0 warps=1 cu=0 from=0 to=0\nwarp 0\n0\n1 address=4096\n3 done\n");
}

TEST(text, any_line_endings_are_accepted) {
  ct_freed(ct_free) char *text =
      read_by_hand("meta m text {\r\n  a\r\n\r\n  b\r\n}\r\nlaunch\r\ngroup more\r\nwarp 0 # one\r\n0\r\n");
  EXPECT_CONTAINS(text, "meta m text {\n  a\n\n  b\n}\n");
  EXPECT_CONTAINS(text, " more\nwarp 0\n0\n");
}

TEST(text, masks_persist_and_next_defaults_to_the_next_line) {
  expect_groups(
      "launch lanes=8\ngroup\nwarp 0\n0 mask=0x0f\n1 address=[1 2 3 4]\n0\n2 next=0 mask=0\n",
      "\ngroup 0 launch=0 warps=1 cu=0 from=0 to=0\nwarp 0\n0 mask=0xf\n1 address=1+1*lane\n0\n2 next=0 mask=0x0\n");
}

TEST(text, lists_have_a_value_for_each_lane_that_takes_part) {
  expect_groups("launch lanes=8\ngroup\nwarp 0\n1 mask=0xfe left_out=2 address=[5*2 100+8*3 100-8*1]\n2 done\n",
                "\ngroup 0 launch=0 warps=1 cu=0 from=0 to=0\nwarp 0\n"
                "1 mask=0xfe left_out=2 address=[5*2 100+8*3 100]\n2 done\n");
}

TEST(text, loops_advance_by_their_steps_and_jump_back) {
  expect_groups("launch lanes=8\ngroup\nwarp 0\n0\nrepeat 2 {\n repeat 2 {\n"
                "  1 address=0x100+4*lane step 32 step 0x1000\n  note print 1\n  2\n }\n}\n3 done\n",
                "\ngroup 0 launch=0 warps=1 cu=0 from=0 to=0\nwarp 0\n0\n"
                "1 address=256+4*lane\nnote print 1\n2\n1 address=288+4*lane\nnote print 1\n2\n"
                "1 address=4352+4*lane\nnote print 1\n2\n1 address=4384+4*lane\nnote print 1\n2\n3 done\n");
}

TEST(text, ranges_of_groups_and_warps_know_their_numbers) {
  expect_groups("launch groups=3 warps=2 lanes=8\ngroup 0..1 cu=1 to=9\nwarp 0..1\n0\n"
                "1 address=4*lane+100*warp+1000*group-1\n3 done\ngroup 2\nwarp 1\n3 done\n",
                "\ngroup 0 launch=0 warps=2 cu=1 from=0 to=9\nwarp 0\n0\n1 address=0xffffffffffffffff+4*lane\n3 done\n"
                "warp 1\n0\n1 address=99+4*lane\n3 done\n"
                "\ngroup 1 launch=0 warps=2 cu=1 from=0 to=9\nwarp 0\n0\n1 address=999+4*lane\n3 done\n"
                "warp 1\n0\n1 address=1099+4*lane\n3 done\n"
                "\ngroup 2 launch=0 warps=2 cu=0 from=0 to=9\nwarp 1\n3 done\n");
}

TEST(text, batches_continue_where_the_group_was) {
  expect_groups("launch groups=2\ngroup 0 cu=3 from=5 to=9 more\nwarp 0\n0\n"
                "group 1 to=10\nwarp 0\n3 done\ngroup 0 to=12\nwarp 0\n1 address=0\n3 done\n",
                "\ngroup 0 launch=0 warps=1 cu=3 from=5 to=9 more\nwarp 0\n0\n"
                "\ngroup 1 launch=0 warps=1 cu=0 from=0 to=10\nwarp 0\n3 done\n"
                "\ngroup 0 launch=0 warps=1 cu=3 from=9 to=12\nwarp 0\n1 address=0\n3 done\n");
}

TEST(text, a_million_iterations_take_few_lines_and_few_bytes) {
  char text[400];
  const char *path = made_path("turns");
  struct message error;
  size_t size;
  snprintf(text, sizeof text, "%slaunch\ngroup\nwarp 0\n0\nrepeat 1000000 {\n1 address=4*lane step 128\n2\n}\n3 done\n",
           head);
  EXPECT_STREQ(read_text(text, strlen(text), path).text, "");
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct trace_batch batch;
  EXPECT_TRUE(trace_batch(trace, 0, &batch, &error));
  EXPECT_EQ(batch.operations, 2000002);
  free(made_read(path, &size));
  EXPECT_LT(size, 4096);
  unlink(path);
}

/* ---- errors ---------------------------------------------------------------------------------------- */

#define KIND "plain access prefetch lane_copy pipe copy wait pipe_barrier pipe_slot mbarrier constants image"
#define LINE "meta program launch group warp note repeat }"

/* `text` comes after the head and a launch of two work-groups; its first line is line 7. */
static const struct {
  const char *text, *message;
} bad[] = {
    {"grop 0\n", "T:7: field 'line': 'grop' is not one of them; legal: " LINE ""},
    {"meta\n", "T:7: the meta's name is missing"},
    {"meta x yaml {\n", "T:7: field 'meta': 'yaml' is not one of them; legal: text json base64"},
    {"meta x text\n", "T:7: expected a block, which begins with '{' at the line's end"},
    {"meta x text { 3\n", "T:7: '3' is too much on this line"},
    {"meta x text {\n  1\n", "T:7: the block that begins here does not end; legal: a line with only '}'"},
    {"meta x base64 {\n  YSBsa*==\n}\n", "T:9: the block that ends here: expected base64"},
    {"meta x base64 {\n  YSB\n}\n",
     "T:9: the block that ends here: expected base64, which has four characters for three bytes"},
    {"meta x \"a\\q\"\n", "T:7: expected a string whose escapes are \\n, \\t, \\\", \\\\ or \\xHH"},
    {"meta x \"a\n", "T:7: expected a string that ends with a quotation mark"},
    {"meta \"a\\x00b\" \"\"\n", "T:7: the meta's name has a zero byte"},
    {"program {\n  plain\n  plan*2\n}\n", "T:9: field 'program': 'plan' is not one of them; legal: " KIND ""},
    {"program {\n  plain*0\n}\n", "T:8: field 'program': '0' is not a number of instructions; legal: 1 to 16777216"},
    {"launch program=1\n", "T:7: field 'program': '1' is not a program before this line; legal: 0 to 0"},
    {"launch lanes=65\n", "T:7: field 'lanes': '65' is not lanes of a warp; legal: 1 to 64"},
    {"launch lanes=0\n", "T:7: field 'lanes': '0' is not lanes of a warp; legal: 1 to 64"},
    {"launch groups=4294967296\n",
     "T:7: field 'groups': '4294967296' is not a number of work-groups; legal: 0 to 4294967295"},
    {"launch warps=65537\n", "T:7: field 'warps': '65537' is not a number of warps; legal: 0 to 65536"},
    {"launch warp=1\n", "T:7: 'warp' is not a field of 'launch'; legal: program lanes groups warps"},
    {"launch groups=0\ngroup\n", "T:8: the launch has no work-groups"},
    {"group 2\n", "T:7: field 'group': '2' is not a work-group of the launch; legal: N, or N..M, up to 1"},
    {"group 1..0\n", "T:7: field 'group': '1..0' is not a work-group of the launch; legal: N, or N..M, up to 1"},
    {"group 1\ngroup\n", "T:8: the launch has no more work-groups than 2"},
    {"group launch=1\n", "T:7: field 'launch': '1' is not a launch before this line; legal: 0 to 0"},
    {"group warps=3\n", "T:7: field 'warps': '3' is not a number of warps of the launch; legal: 0 to 2"},
    {"group cu=-1\n", "T:7: field 'cu': '-1' is not a compute unit; legal: 0 to 4294967295"},
    {"group from=x\n", "T:7: field 'from': 'x' is not a cycle; legal: 0 to 18446744073709551614"},
    {"group from=9 to=8\n", "T:7: field 'to': '8' is before 'from'; legal: 9 or more"},
    {"group 0\ngroup 0\n", "T:8: work-group 0 has already ended; legal: `more` where it continues"},
    {"group 0 more\ngroup 0 warps=1\n", "T:8: work-group 0 must keep its warps and cu (2, 0)"},
    {"warp 0\n", "T:7: a warp needs a work-group before it"},
    {"group\n0\n", "T:8: an operation needs a warp before it"},
    {"group\nnote print\n", "T:8: a note needs an operation before it"},
    {"group\nrepeat 2 {\n", "T:8: a loop needs a warp before it"},
    {"group\nwarp 2\n", "T:8: field 'warp': '2' is not a warp of the work-group; legal: N, or N..M, up to 1"},
    {"group\nwarp\n", "T:8: field 'warp': '' is not a warp of the work-group; legal: N, or N..M, up to 1"},
    {"group\nwarp 0 at=3\n", "T:8: field 'warp': 'at' is not of a warp; legal: pc=N"},
    {"group\nwarp 0 pc=4\n", "T:8: field 'pc': '4' is not an instruction of the program; legal: 0 to 3"},
    {"group\nwarp 0\n4\n", "T:9: field 'pc': '4' is not an instruction of the program; legal: 0 to 3"},
    {"group\nwarp 0 pc=1\n0\n", "T:9: field 'pc': '0' is not where the warp's last operation led; legal: 1"},
    {"group\nwarp 0\n0\nwarp 0\n3\n", "T:11: field 'pc': '3' is not where the warp's last operation led; legal: 1"},
    {"group\nwarp 0\n0\nwarp 0 pc=3\n", "T:10: field 'pc': warp 0 has already begun"},
    {"group\nwarp 0\n0 next=2\n3\n", "T:9: field 'next': '2' is not the pc of the warp's next operation; legal: 3"},
    {"group\nwarp 0\n0 next=-1\n", "T:9: field 'next': '-1' is not a pc; legal: 0 to 4294967295"},
    {"group\nwarp 0\n0 mask=0x100000000\n",
     "T:9: field 'mask': '0x100000000' is not lanes that the warp has; legal: 0 to 4294967295"},
    {"group\nwarp 0\n0 gone\n", "T:9: 'gone' is not a field of kind 'plain'; legal: next mask done diverged"},
    {"group\nwarp 0\n1 adress=0\n",
     "T:9: 'adress' is not a field of kind 'access'; legal: next mask done diverged left_out address"},
    {"group\nwarp 0\n0 mask=1 mask=1\n", "T:9: field 'mask' is given twice"},
    {"group\nwarp 0\n0 next=1 next=1\n", "T:9: field 'next' is given twice"},
    {"group\nwarp 0\n1 left_out=1 left_out=1\n", "T:9: field 'left_out' is given twice"},
    {"group\nwarp 0\n1 address=1 address=[1]\n", "T:9: field 'address' is given twice"},
    {"group cu=1 cu=1\n", "T:7: field 'cu' is given twice"},
    {"group\nwarp 0\n1\n", "T:9: field 'address' is missing, but 32 lanes are active"},
    {"group\nwarp 0\n1 address=4*line\n",
     "T:9: field 'address': '4*line' is not a value; legal: numbers, and numbers*lane, *warp or *group, with + or - "
     "between them"},
    {"group\nwarp 0\n1 address=\n",
     "T:9: field 'address': '' is not a value; legal: numbers, and numbers*lane, *warp or *group, with + or - between "
     "them"},
    {"group\nwarp 0\n1 left_out=1*lane address=0\n",
     "T:9: field 'left_out': '1*lane' is not a value; legal: numbers, and numbers*lane, *warp or *group, with + or - "
     "between them"},
    {"group\nwarp 0\n1 address=18446744073709551616\n",
     "T:9: field 'address': '18446744073709551616' is not a value; legal: numbers, and numbers*lane, *warp or *group, "
     "with + or - between them"},
    {"group\nwarp 0\n1 address=[1 2\n", "T:9: field 'address': a list ends with ']' on the same line"},
    {"group\nwarp 0\n1 address=[]\n", "T:9: field 'address': '' is not a list of values"},
    {"group\nwarp 0\n1 address=[1 x]\n", "T:9: field 'address': 'x' is not an element of a list; legal: V, V*N, V+S*N, "
                                         "V-S*N, with blanks between them, and at most 64 values"},
    {"group\nwarp 0\n1 address=[0*65]\n", "T:9: field 'address': '0*65' is not an element of a list; legal: V, V*N, "
                                          "V+S*N, V-S*N, with blanks between them, and at most 64 values"},
    {"group\nwarp 0\n1 address=[1 2]\n",
     "T:9: field 'address': a list of 2 values, but it needs one for each active lane; legal: 32"},
    {"group\nwarp 0\n1 mask=0 address=1\n", "T:9: field 'address': no lane is active"},
    {"group\nwarp 0\n1 mask=1 left_out=1 address=1\n", "T:9: field 'address': no lane is active"},
    {"group\nwarp 0\n1 mask=0 left_out=1\n", "T:9: field 'left_out': an operation whose mask is 0 cannot have it"},
    {"group\nwarp 0\n1 address=0 step 4\n", "T:9: field 'address': has more steps than there are loops around it (0)"},
    {"group\nwarp 0\nrepeat 2 {\n1 address=0 step x\n",
     "T:10: field 'step': 'x' is not a step; legal: a whole number of 64 bits, decimal or 0x"},
    {"group\nwarp 0\n3 done\n0\n", "T:10: warp 0 has already ended, with `done`"},
    {"group\nwarp 0\nnote hazard\n", "T:9: a note must follow an operation"},
    {"group\nwarp 0\n0\nnote hasard\n", "T:10: field 'note': 'hasard' is not one of them; legal: hazard outcome print"},
    {"group\nwarp 0\n0\nnote print x\n",
     "T:10: field 'note': 'x' is not a value of it; legal: a whole number of 64 bits, decimal or 0x"},
    {"group\nwarp 0\n0\nnote print \"a\\x00\"\n", "T:10: expected a note's text, which has no zero bytes"},
    {"group\nwarp 0\n0\nnote print \"a\" 1\n", "T:10: a note ends with its text"},
    {"group\nwarp 0\nrepeat 0 {\n", "T:9: field 'repeat': '0' is not a number of iterations; legal: 1 to 1000000000"},
    {"group\nwarp 0\nrepeat 2\n", "T:9: expected a block, which begins with '{' at the line's end"},
    {"group\nwarp 0\nrepeat 2 {\n0\n", "T:9: the loop that begins here does not end; legal: a line with only '}'"},
    {"group\nwarp 0\nrepeat 100000 {\nrepeat 100000 {\n",
     "T:10: more than 1000000000 iterations, counting the loops and ranges around this one"},
    {"launch groups=4000000000\ngroup 0..3999999999\n",
     "T:8: more than 1000000000 iterations, counting the loops and ranges around this one"},
    {"group\nwarp 0\nrepeat 1 {\nrepeat 1 {\nrepeat 1 {\nrepeat 1 {\nrepeat 1 {\n", "T:13: more than 4 nested loops"},
    {"group\nwarp 0\n}\n", "T:9: '}' without a loop"},
    {"group\nwarp 0\n0\nrepeat 1000000000 {\nnote print 0 1 2 3 4 5 6 7 8 9\n}\n",
     "T:11: the operation's notes have more than 67108864 bytes"},
    {"launch groups=99 warps=65536\ngroup 0..98 more\n", "T:8: more than 1048576 warps of unfinished work-groups"},
};

TEST(text, errors_are_reported_with_their_line_and_what_is_legal) {
  const char *path = made_path("bad");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[1000];
    snprintf(text, sizeof text, "%slaunch groups=2 warps=2\n%s", head, bad[i].text);
    ct_note("%s", bad[i].text);
    EXPECT_STREQ(read_text(text, strlen(text), path).text, bad[i].message);
  }
  unlink(path);
}

TEST(text, files_that_are_not_trace_text_are_reported) {
  static const struct {
    const char *text;
    size_t size;
    const char *message;
  } files[] = {
      {"\n", 1, "T:1: is not the text of a trace; legal: 'wwtt 1' first"},
      {"wwtt\n", 5, "T:1: field 'wwtt': '' is not a version; legal: 1 to 1"},
      {"wwtt 2\n", 7, "T:1: field 'wwtt': '2' is not a version; legal: 1 to 1"},
      {"wwtt 1\n\0\n", 9, "T:2: a zero byte, which no text has"},
      {"wwtt 1\nlaunch\n", 14, "T:2: a launch needs a program before it"},
      {"wwtt 1\ngroup\n", 13, "T:2: a work-group needs a launch before it"},
      {"wwtt 1\nprogram {\n}\nlaunch\ngroup\nwarp 0\n0\n", 43, "T:7: the program has no instructions"},
      {"wwtt 1\nprogram {\n}\nlaunch warps=0\ngroup\nwarp 0\n", 48, "T:6: the work-group has no warps"},
  };
  const char *path = made_path("files");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    EXPECT_STREQ(read_text(files[i].text, files[i].size, path).text, files[i].message);
  unlink(path);
}

TEST(text, notes_and_ranges_beyond_their_limits_are_refused) {
  const char *path = made_path("many");
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  fprintf(to, "%slaunch\ngroup\nwarp 0\n0\nnote print", head);
  for (unsigned i = 0; i <= TRACE_NOTE_VALUES; i++)
    fprintf(to, " %u", i);
  fclose(to);
  EXPECT_STREQ(read_text(text, size, path).text, "T:10: a note can have at most 80 values");
  free(text);
  to = open_memstream(&text, &size);
  fprintf(to, "%slaunch\ngroup\nwarp 0\nrepeat 2 {\n", head);
  for (unsigned i = 0; i < TEXT_KEPT_LINES; i++)
    fputs("0\n", to);
  fclose(to);
  EXPECT_STREQ(read_text(text, size, path).text,
               "T:16393: more than 16384 lines in a loop, or for a range of warps or work-groups");
  free(text);
  unlink(path);
}
