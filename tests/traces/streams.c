/* The codec of one stream: predictions, the cost of differences, and the effect of wrong bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "traces/decode.h"
#include "traces/encode.h"
#include "traces/schema.h"

enum { LANES = 32 };
#define ALL UINT64_C(0xffffffff)

/* A stream over its own program: encoder, then decoder. */
struct rig {
  uint8_t kinds[64];
  uint64_t field[TRACE_FIELDS], value[TRACE_VECTORS][TRACE_LANES];
  struct encoder encoder;
  struct decoder decoder;
};

static struct rig *rig_new(void) {
  struct rig *rig = calloc(1, sizeof *rig);
  stream_start(&rig->encoder.stream, rig->kinds, sizeof rig->kinds, LANES);
  encode_start(&rig->encoder, 0);
  return rig;
}

static void rig_free(struct rig *rig) {
  stream_free(&rig->encoder.stream);
  free(rig->encoder.bytes.at);
  decode_free(&rig->decoder);
  free(rig);
}

CT_FREES(struct rig, rig_free)

/* Encodes an operation with the rig's fields and values; returns its cost in bytes. */
static size_t put_with(struct rig *rig, uint32_t pc, uint32_t next, uint64_t mask, uint32_t flags) {
  const size_t before = rig->encoder.bytes.size;
  struct trace_op op = {.pc = pc, .next = next, .mask = mask, .flags = flags, .field = rig->field};
  for (unsigned i = 0; i < TRACE_VECTORS; i++)
    op.vector[i].offset = rig->value[i];
  encode(&rig->encoder, &op);
  return rig->encoder.bytes.size - before;
}
static size_t put(struct rig *rig, uint32_t pc, uint32_t next) { return put_with(rig, pc, next, ALL, 0); }

/* Hands everything that was encoded to the decoder. */
static void turn(struct rig *rig) {
  uint32_t pc;
  encode_flush(&rig->encoder);
  stream_start(&rig->decoder.stream, rig->kinds, sizeof rig->kinds, LANES);
  decode_piece(&rig->decoder, rig->encoder.bytes.at, rig->encoder.bytes.size, rig->encoder.operations);
  EXPECT_TRUE(decode_start(&rig->decoder, &pc));
}

static void strided(uint64_t *value, uint64_t base, uint64_t stride) {
  for (unsigned lane = 0; lane < LANES; lane++)
    value[lane] = base + lane * stride;
}

/* ---- rows ----------------------------------------------------------------------------------- */

TEST(rows, every_name_is_unique_and_every_row_has_a_sentence) {
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
    const struct trace_kind_row *row = &trace_kind_rows[kind];
    ct_note("kind %s", row->name);
    EXPECT_LE(row->fields + row->vectors, TRACE_FIELDS);
    EXPECT_LE(row->vectors, TRACE_VECTORS);
    EXPECT_TRUE(strlen(row->text) > 10 && !strpbrk(row->name, " \n") && !strchr(row->text, '\n'));
    for (unsigned other = 0; other < kind; other++)
      EXPECT_TRUE(strcmp(row->name, trace_kind_rows[other].name) != 0);
    for (unsigned i = 0; i < row->fields + row->vectors; i++) {
      const struct trace_field_row *field = i < row->fields ? &row->field[i] : &row->vector[i - row->fields];
      EXPECT_TRUE(strlen(field->text) > 5 && !strpbrk(field->name, " \n") && !strchr(field->text, '\n'));
      for (unsigned j = 0; j < i; j++)
        EXPECT_TRUE(strcmp(field->name, (j < row->fields ? &row->field[j] : &row->vector[j - row->fields])->name) != 0);
    }
    EXPECT_TRUE(!row->vectors || strcmp(row->field[0].name, "left_out") == 0);
    EXPECT_LE(miss_notes(row), 62);
  }
}

/* One field or vector at a time differs and survives: no row stands for another. */
TEST(rows, every_field_survives_a_round_trip) {
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
    const struct trace_kind_row *row = &trace_kind_rows[kind];
    const unsigned first = row->vectors ? 1 : 0; /* left_out is tested below */
    ct_freed(rig_free_at) struct rig *rig = rig_new();
    struct trace_op op;
    rig->kinds[0] = (uint8_t)kind;
    for (unsigned i = first; i < row->fields + row->vectors; i++) {
      if (i < row->fields)
        rig->field[i] = 1000 + i;
      else
        strided(rig->value[i - row->fields], 5000 + i, 4 * i);
      put(rig, 0, 0);
    }
    turn(rig);
    for (unsigned i = first; i < row->fields + row->vectors; i++) {
      ct_note("%s, %s", row->name, (i < row->fields ? &row->field[i] : &row->vector[i - row->fields])->name);
      ASSERT_TRUE(decode(&rig->decoder, &op));
      EXPECT_EQ(op.kind, kind);
      for (unsigned j = first; j < row->fields; j++)
        EXPECT_EQ(op.field[j], j <= i ? 1000 + j : 0);
      for (unsigned j = row->fields; j < row->fields + row->vectors; j++) {
        uint64_t value[TRACE_LANES];
        trace_spread(&op.vector[j - row->fields], LANES, value);
        EXPECT_EQ(value[3], j <= i ? 5000 + j + 12 * j : 0);
      }
    }
  }
}

TEST(rows, omitted_lanes_have_no_values) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  struct trace_op op;
  rig->kinds[0] = TRACE_ACCESS;
  strided(rig->value[0], 4096, 4);
  rig->field[TRACE_ACCESS_LEFT_OUT] = 0xffff0000;
  for (unsigned lane = 16; lane < LANES; lane++)
    rig->value[0][lane] = lane * 7777777;
  const size_t bytes = put(rig, 0, 1);
  EXPECT_LE(bytes, 14); /* run, what differs, next, 0xffff0000, stride, base: no value of an omitted lane */
  turn(rig);
  ASSERT_TRUE(decode(&rig->decoder, &op));
  EXPECT_EQ(trace_lanes(&op), 0xffff);
  EXPECT_EQ(op.vector[0].base, 4096);
  EXPECT_EQ(op.vector[0].stride, 4);
}

/* The current schema, with the first occurrence of `from` replaced. */
static const char *fault_with(const char *from, const char *to, unsigned *kinds) {
  static char line[100];
  struct bytes own = {0}, text = {0};
  schema_write(&own);
  bytes_add(&own, "", 1);
  char *at = strstr((char *)own.at, from);
  if (!EXPECT_TRUE(at != NULL))
    return "no such text";
  bytes_add(&text, own.at, (size_t)(at - (char *)own.at));
  bytes_add(&text, to, strlen(to));
  bytes_add(&text, at + strlen(from), strlen(at + strlen(from)) + 1);
  const char *fault = schema_fault((const char *)text.at, kinds, line);
  free(own.at);
  free(text.at);
  return fault;
}

TEST(rows, a_file_may_have_fewer_rows_and_other_sentences) {
  unsigned kinds;
  EXPECT_TRUE(fault_with("kind", "kind", &kinds) == NULL);
  EXPECT_EQ(kinds, TRACE_KINDS);
  EXPECT_TRUE(fault_with("arithmetic, branches", "sums, jumps", &kinds) == NULL);
  const struct trace_kind_row *last = &trace_kind_rows[TRACE_KINDS - 1];
  char from[100];
  snprintf(from, sizeof from, "kind %s ", last->name);
  /* A file that ends before the last kind: its list has no text from there on. */
  struct bytes own = {0};
  char line[100];
  schema_write(&own);
  bytes_add(&own, "", 1);
  *strstr((char *)own.at, from) = 0;
  EXPECT_TRUE(schema_fault((const char *)own.at, &kinds, line) == NULL);
  EXPECT_EQ(kinds, TRACE_KINDS - 1);
  free(own.at);
}

TEST(rows, a_file_with_other_rows_is_reported) {
  unsigned kinds;
  EXPECT_CONTAINS(fault_with("contexts 2048", "contexts 9", &kinds), "contexts 9");
  EXPECT_CONTAINS(fault_with("field copy lds step", "field copy lds same", &kinds), "field copy lds same");
  EXPECT_CONTAINS(fault_with("kind wait", "kind rest", &kinds), "kind rest");
  EXPECT_CONTAINS(fault_with("trace 1\n", "", &kinds), "an incomplete list");
  char last[100];
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++)
    if (trace_kind_rows[kind].vectors)
      snprintf(last, sizeof last, "vector %s %s", trace_kind_rows[kind].name,
               trace_kind_rows[kind].vector[trace_kind_rows[kind].vectors - 1].name);
  EXPECT_CONTAINS(fault_with(last, "stop", &kinds), "an incomplete list");
}

/* ---- predictions ---------------------------------------------------------------------------- */

/* Encodes a loop of a load, arithmetic and a branch back, and what follows it; returns its bytes. */
static size_t loop_bytes(uint32_t passes) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  rig->kinds[2] = TRACE_ACCESS;
  put(rig, 0, 1);
  for (uint32_t pass = 0; pass < passes; pass++) {
    strided(rig->value[0], 0x100000000 + pass * 128, 4);
    put(rig, 1, 2);
    put(rig, 2, 3);
    put(rig, 3, pass + 1 < passes ? 1 : 4);
  }
  put(rig, 4, 5);
  put_with(rig, 5, 6, ALL, TRACE_DONE);
  const size_t bytes = rig->encoder.bytes.size;
  EXPECT_EQ(rig->encoder.operations, 3 * passes + 3);
  return bytes;
}

TEST(predictions, a_loop_costs_the_same_bytes_for_any_number_of_iterations) {
  /* The count of predicted operations inside is one byte below 128, then two, then three. */
  const size_t ten = loop_bytes(10);
  EXPECT_LE(ten, 30);
  EXPECT_EQ(loop_bytes(30), ten);
  EXPECT_EQ(loop_bytes(1000), ten + 1);
  EXPECT_EQ(loop_bytes(5000), ten + 1);
  EXPECT_EQ(loop_bytes(500000), ten + 2);
}

/* The loop of docs/trace-format.md, and the bytes stated there. */
TEST(predictions, the_example_on_the_page_is_correct) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  rig->kinds[1] = TRACE_ACCESS;
  put(rig, 0, 1);
  for (unsigned turn_of = 0; turn_of < 3; turn_of++) {
    strided(rig->value[0], 0x1000 + 128 * turn_of, 4);
    put(rig, 1, 2);
    put(rig, 2, turn_of < 2 ? 1 : 3);
  }
  put_with(rig, 3, 4, ALL, TRACE_DONE);
  char hex[200] = "", page[40000];
  for (size_t i = 0; i < rig->encoder.bytes.size; i++)
    snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "%s%02x", i ? " " : "`", rig->encoder.bytes.at[i]);
  strcat(hex, "`");
  FILE *file = fopen("docs/trace-format.md", "r");
  ASSERT_TRUE(file != NULL);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  EXPECT_CONTAINS(page, hex);
}

TEST(predictions, straight_code_costs_nothing) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  for (uint32_t pc = 0; pc < 60; pc++)
    EXPECT_EQ(put(rig, pc, pc + 1), 0);
  EXPECT_EQ(rig->encoder.run, 60);
}

TEST(predictions, a_mask_is_predicted_from_the_previous_operation) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  EXPECT_GT(put_with(rig, 0, 1, 0xff, 0), 0);
  EXPECT_EQ(put_with(rig, 1, 2, 0xff, 0), 0);
  EXPECT_EQ(put_with(rig, 2, 3, 0xff, 0), 0);
  EXPECT_GT(put_with(rig, 3, 4, ALL, 0), 0);
  EXPECT_EQ(put_with(rig, 4, 5, ALL, 0), 0);
}

TEST(predictions, a_jump_in_a_stride_mispredicts_once) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  rig->kinds[0] = TRACE_COPY;
  rig->field[TRACE_COPY_GLOBAL] = 1 << 20;
  put(rig, 0, 0);
  for (unsigned row = 0, misses; row < 5; row++) {
    misses = 0;
    for (unsigned i = 0; i < 10; i++) {
      rig->field[TRACE_COPY_GLOBAL] += i ? 256 : 10000;
      misses += put(rig, 0, 0) != 0;
    }
    ct_note("row %u", row);
    EXPECT_EQ(misses, row ? 1 : 2); /* the first row must learn the stride */
  }
}

TEST(predictions, an_operation_without_lanes_has_no_fields) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  rig->kinds[0] = TRACE_WAIT;
  rig->field[TRACE_WAIT_COUNT] = 1;
  put(rig, 0, 0);
  put(rig, 0, 0);
  rig->field[TRACE_WAIT_COUNT] = 77;
  put_with(rig, 0, 0, 0, 0);
  rig->field[TRACE_WAIT_COUNT] = 1;
  EXPECT_LE(put_with(rig, 0, 0, ALL, 0), 8); /* only the mask */
}

/* ---- shapes --------------------------------------------------------------------------------- */

TEST(shapes, a_repeated_shape_costs_one_number) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  rig->kinds[0] = rig->kinds[1] = TRACE_ACCESS;
  for (unsigned lane = 0; lane < LANES; lane++)
    rig->value[0][lane] = 4096 + lane % 8 * 4 + lane / 8 * 1024;
  const size_t first = put(rig, 0, 1);
  EXPECT_GT(first, LANES);
  for (unsigned lane = 0; lane < LANES; lane++)
    rig->value[0][lane] += 64;
  EXPECT_LE(put(rig, 1, 2), 6); /* run, what differs, shape, base */
}

TEST(shapes, a_mask_makes_no_new_shape) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  rig->kinds[0] = TRACE_ACCESS;
  strided(rig->value[0], 4096, 12);
  put(rig, 0, 0);
  put(rig, 0, 0);
  for (uint64_t mask = 1; mask < ALL; mask = mask << 1 | 1)
    EXPECT_LE(put_with(rig, 0, 0, mask, 0), 2 + 5 + 5);
  EXPECT_EQ(rig->encoder.stream.shapes_made, 0);
}

TEST(shapes, the_oldest_shape_is_evicted) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  struct trace_op op;
  uint64_t state = 9, sum = 0;
  rig->kinds[0] = TRACE_LANE_COPY;
  for (unsigned i = 0; i < 3 * STREAM_SHAPES; i++) {
    for (unsigned lane = 0; lane < LANES; lane++) {
      rig->value[0][lane] = ct_random(&state) % 65536;
      rig->value[1][lane] = ct_random(&state) % 65536;
      sum += rig->value[0][lane] ^ rig->value[1][lane];
    }
    put(rig, 0, 0);
  }
  turn(rig);
  while (decode_left(&rig->decoder)) {
    uint64_t value[2][TRACE_LANES];
    ASSERT_TRUE(decode(&rig->decoder, &op));
    for (unsigned i = 0; i < 2; i++)
      trace_spread(&op.vector[i], LANES, value[i]);
    for (unsigned lane = 0; lane < LANES; lane++)
      sum -= value[0][lane] ^ value[1][lane];
  }
  EXPECT_EQ(sum, 0);
}

/* The last vector's new shape takes the row that holds the shape of the operation's previous vector. */
static void expect_handed_out(enum trace_kind kind, unsigned vector) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  struct trace_op op;
  uint64_t state = 11, first[LANES], value[TRACE_LANES];
  rig->kinds[0] = (uint8_t)kind;
  for (unsigned i = 0; i < STREAM_SHAPES; i++) {
    for (unsigned lane = 0; lane < LANES; lane++)
      rig->value[vector][lane] = ct_random(&state) % 65536;
    if (!i)
      memcpy(first, rig->value[vector], sizeof first);
    put(rig, 0, 0);
  }
  memcpy(rig->value[vector], first, sizeof first); /* row 0, which the next new shape takes */
  for (unsigned lane = 0; lane < LANES; lane++)
    rig->value[vector + 1][lane] = ct_random(&state) % 65536;
  put(rig, 0, 0);
  turn(rig);
  while (decode_left(&rig->decoder))
    ASSERT_TRUE(decode(&rig->decoder, &op));
  trace_spread(&op.vector[vector], LANES, value);
  EXPECT_EQ(memcmp(value, first, sizeof first), 0);
  trace_spread(&op.vector[vector + 1], LANES, value);
  EXPECT_EQ(memcmp(value, rig->value[vector + 1], sizeof first), 0);
}

TEST(shapes, a_row_replaced_within_an_operation_is_still_returned) {
  expect_handed_out(TRACE_LANE_COPY, 0);
  expect_handed_out(TRACE_IMAGE, 0);
  expect_handed_out(TRACE_IMAGE, 1);
}

/* ---- contexts ------------------------------------------------------------------------------- */

TEST(contexts, long_programs_evict_contexts_and_continue) {
  enum { PCS = 3 * STREAM_CONTEXTS };
  ct_freed(ct_free) uint8_t *kinds = calloc(PCS, 1);
  struct encoder encoder = {0};
  struct decoder decoder = {0};
  struct trace_op op = {.mask = ALL};
  uint32_t pc;
  stream_start(&encoder.stream, kinds, PCS, LANES);
  stream_start(&decoder.stream, kinds, PCS, LANES);
  encode_start(&encoder, 0);
  for (unsigned i = 0; i < 2 * PCS; i++) {
    op.pc = i % PCS;
    op.next = (i + 1) % PCS;
    encode(&encoder, &op);
  }
  EXPECT_LE(encoder.stream.contexts.count, STREAM_CONTEXTS);
  encode_flush(&encoder);
  decode_piece(&decoder, encoder.bytes.at, encoder.bytes.size, encoder.operations);
  ASSERT_TRUE(decode_start(&decoder, &pc));
  for (unsigned i = 0; i < 2 * PCS; i++) {
    ASSERT_TRUE(decode(&decoder, &op));
    ASSERT_EQ(op.pc, i % PCS);
  }
  EXPECT_TRUE(decode_at_end(&decoder));
  stream_free(&encoder.stream);
  free(encoder.bytes.at);
  decode_free(&decoder);
}

/* ---- wrong bytes ---------------------------------------------------------------------------- */

TEST(notes, an_operation_may_have_any_number_of_notes) {
  enum { NOTES = 300 };
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  struct trace_note note[NOTES];
  uint64_t value[TRACE_NOTE_VALUES];
  char text[NOTES][16];
  for (unsigned i = 0; i < TRACE_NOTE_VALUES; i++)
    value[i] = UINT64_MAX / (i + 1);
  for (unsigned i = 0; i < NOTES; i++) {
    snprintf(text[i], sizeof text[i], "%u", i);
    note[i] = (struct trace_note){(enum trace_note_kind)(i % TRACE_NOTE_KINDS), i % (TRACE_NOTE_VALUES + 1), value,
                                  i % 7 ? text[i] : NULL};
  }
  struct trace_op op = {.mask = ALL, .notes = NOTES, .note = note};
  encode(&rig->encoder, &op);
  put(rig, 0, 1);
  turn(rig);
  ASSERT_TRUE(decode(&rig->decoder, &op));
  ASSERT_EQ(op.notes, NOTES);
  for (unsigned i = 0; i < NOTES; i++) {
    EXPECT_EQ(op.note[i].kind, note[i].kind);
    EXPECT_EQ(op.note[i].values, note[i].values);
    EXPECT_EQ(memcmp(op.note[i].value, value, note[i].values * sizeof *value), 0);
    EXPECT_STREQ(op.note[i].text, i % 7 ? text[i] : "");
  }
  ASSERT_TRUE(decode(&rig->decoder, &op));
  EXPECT_EQ(op.notes, 0);
}

TEST(notes, a_note_may_consist_of_text_only) {
  ct_freed(rig_free_at) struct rig *rig = rig_new();
  const struct trace_note note = {.kind = TRACE_NOTE_PRINT, .text = "said"};
  struct trace_op op = {.mask = ALL, .notes = 1, .note = &note};
  encode(&rig->encoder, &op);
  turn(rig);
  ASSERT_TRUE(decode(&rig->decoder, &op));
  ASSERT_EQ(op.notes, 1);
  EXPECT_EQ(op.note->values, 0);
  EXPECT_STREQ(op.note->text, "said");
}

TEST(wrong_bytes, each_is_reported_with_what_was_expected) {
  static const struct {
    uint8_t bytes[12];
    size_t size;
    const char *told; /* NULL: valid */
  } streams[] = {
      {{0, 1}, 2, NULL},
      {{64}, 1, "the stream's first pc"},
      {{0, 0x80, 0}, 3, "a count of operations"},
      {{0, 0, 0}, 3, "what differs in an operation"},
      {{0, 0, MISS_NEXT, 0xff}, 4, "more bytes of an operation"},
      {{0, 0, MISS_NEXT, 3}, 4, "a pc of 32 bits"},
      {{0, 0, MISS_MASK, 2}, 4, "lanes that the warp has"},
      {{0, 0, MISS_FLAGS, 8}, 4, "flags that the schema has"},
      {{0, 0, 8 | MISS_FLAGS, 2, 0}, 5, NULL}, /* bit 3: notes of a plain operation; reported below */
      {{0, 0, 16, 2}, 4, "fields that the operation has"},
      {{0, 0, 8, 0}, 4, "notes"},
      {{0, 0, 8, 1, 99, 0, 0}, 7, "a note that the schema has"},
      {{0, 0, 8, 1, 0, 0, 9}, 7, "a note's text"},
      {{0, 0, 8, 1, 0, 0, 1, 0}, 8, "a note's text without zero bytes"},
      {{1, 0, 16, 33, 99}, 5, "a shape for each active lane"},
      {{1, 0, 16, 3}, 4, "a shape that the stream has"},
  };
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    ct_freed(rig_free_at) struct rig *rig = rig_new();
    struct decoder *decoder = &rig->decoder;
    struct trace_op op;
    uint32_t pc;
    rig->kinds[1] = TRACE_ACCESS;
    stream_start(&decoder->stream, rig->kinds, sizeof rig->kinds, LANES);
    decode_piece(decoder, streams[i].bytes, streams[i].size, 1);
    const bool good = decode_start(decoder, &pc) && decode(decoder, &op);
    ct_note("stream %zu", i);
    if (streams[i].told)
      EXPECT_STREQ(decoder->wrong ? decoder->wrong : "nothing", streams[i].told);
    EXPECT_EQ(good, decoder->wrong == NULL);
  }
}

TEST(wrong_bytes, any_bytes_are_decoded_or_reported) {
  uint64_t state = 21;
  for (unsigned i = 0; i < 20000; i++) {
    ct_freed(rig_free_at) struct rig *rig = rig_new();
    struct decoder *decoder = &rig->decoder;
    struct trace_op op;
    uint8_t bytes[200];
    uint32_t pc;
    for (unsigned pc_of = 0; pc_of < sizeof rig->kinds; pc_of++)
      rig->kinds[pc_of] = (uint8_t)(ct_random(&state) % TRACE_KINDS);
    for (size_t at = 0; at < sizeof bytes; at++)
      bytes[at] = (uint8_t)(ct_random(&state) >> 8 & (i % 2 ? 0xff : 0x3f));
    stream_start(&decoder->stream, rig->kinds, sizeof rig->kinds, LANES);
    decode_piece(decoder, bytes, sizeof bytes, 100);
    uint64_t value[TRACE_LANES], lanes = 0;
    if (decode_start(decoder, &pc))
      while (decode_left(decoder) && decode(decoder, &op))
        for (unsigned v = 0; v < trace_kind_rows[op.kind].vectors; v++) {
          lanes |= trace_lanes(&op);
          if (trace_lanes(&op))
            trace_spread(&op.vector[v], LANES, value);
        }
    EXPECT_LE(lanes, ALL);
  }
}
