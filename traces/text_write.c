/* Writes a trace as text, block by block. */
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/decode.h"
#include "traces/reader.h"
#include "traces/text.h"
#include "traces/text_meta.h"

#include <inttypes.h>

/* A work-group that has begun and not ended, and its decoders. */
struct resident {
  uint32_t launch, group, warps;
  bool *begun;
  struct decoder *decoders;
};

struct text_writer {
  struct trace *trace;
  FILE *to;
  const struct text_hooks *hooks;
  struct resident *residents;
  size_t resident_count, resident_room;
  uint32_t metas, programs, launches; /* written so far */
  uint64_t offset;                    /* of the current block */
};

/* ---- metas, programs, launches ---------------------------------------------------------------- */

static void put_meta(struct text_writer *writer) {
  const struct block_meta *meta = &writer->trace->in.metas[writer->metas++];
  const uint8_t *bytes = meta->bytes.at + meta->at;
  const size_t size = meta->bytes.size - meta->at;
  const struct text_hooks *hooks = writer->hooks;
  const char *form = NULL;
  char *text = hooks->put_meta ? hooks->put_meta(hooks->self, meta->name, bytes, size, &form) : NULL;
  if (!text) {
    text_put_meta(writer->to, meta->name, bytes, size);
    return;
  }
  fputs("meta ", writer->to);
  text_put_name(writer->to, meta->name);
  fprintf(writer->to, " %s {\n", form);
  text_put_lines(writer->to, text, strlen(text));
  fputs("}\n", writer->to);
  free(text);
}

/* Writes kinds in lines of moderate length. A repeated kind is written once, with a count. */
static void put_program(struct text_writer *writer) {
  const struct reader_program *program = &writer->trace->programs[writer->programs++];
  unsigned column = 0;
  fputs("program {", writer->to);
  for (uint32_t pc = 0, end; pc < program->count; pc = end) {
    for (end = pc + 1; end < program->count && program->kinds[end] == program->kinds[pc];)
      end++;
    column = column > 100 || !pc ? 0 : column;
    column += (unsigned)fprintf(writer->to, "%s%s", column ? " " : "\n  ", trace_kind_rows[program->kinds[pc]].name);
    if (end - pc > 1)
      column += (unsigned)fprintf(writer->to, "*%" PRIu32, end - pc);
  }
  fputs("\n}\n", writer->to);
}

static void put_launch(struct text_writer *writer) {
  const struct trace_launch *launch = &writer->trace->launches[writer->launches++];
  fprintf(writer->to, "launch program=%" PRIu32 " lanes=%" PRIu32 " groups=%" PRIu32 " warps=%" PRIu32 "\n",
          launch->program, launch->lanes, launch->groups, launch->warps);
}

/* ---- operations -------------------------------------------------------------------------------- */

/* Writes large numbers in hexadecimal, because they are mostly addresses. */
static void put_number(FILE *to, uint64_t value) { fprintf(to, value < 10000 ? "%" PRIu64 : "0x%" PRIx64, value); }

/* Writes base + stride * lane without the parts that are 0. */
static void put_line(FILE *to, uint64_t base, uint64_t stride) {
  const bool down = stride >> 63;
  if (base || !stride || down)
    put_number(to, base);
  if (!stride)
    return;
  if (base || down)
    fputc(down ? '-' : '+', to);
  put_number(to, down ? 0 - stride : stride);
  fputs("*lane", to);
}

static bool is_line(const uint64_t *value, uint64_t lanes, uint64_t *base, uint64_t *stride) {
  const unsigned first = first_lane(lanes);
  const uint64_t others = lanes & (lanes - 1);
  const unsigned second = others ? first_lane(others) : first;
  /* Modulo 2^64, dividing a difference over several lanes is ambiguous, but right for small differences. */
  const int64_t apart = (int64_t)(value[second] - value[first]);
  *stride = others ? (uint64_t)(apart / (int64_t)(second - first)) : 0;
  *base = value[first] - first * *stride;
  for (uint64_t left = lanes; left; left &= left - 1)
    if (value[first_lane(left)] != *base + first_lane(left) * *stride)
      return false;
  return true;
}

/* Writes the values of the lanes that take part, in order. Runs with a constant step are written together. */
static void put_list(FILE *to, const uint64_t *value, uint64_t lanes) {
  uint64_t packed[TRACE_LANES];
  unsigned count = 0;
  for (uint64_t left = lanes; left; left &= left - 1)
    packed[count++] = value[first_lane(left)];
  for (unsigned i = 0, end; i < count; i = end) {
    const uint64_t step = i + 1 < count ? packed[i + 1] - packed[i] : 0;
    for (end = i + 1; end < count && packed[end] - packed[end - 1] == step;)
      end++;
    fputc(i ? ' ' : '[', to);
    if (end - i == 2 && step)
      end--;
    put_number(to, packed[i]);
    if (end - i > 1 && step) {
      fputc(step >> 63 ? '-' : '+', to);
      put_number(to, step >> 63 ? 0 - step : step);
    }
    if (end - i > 1)
      fprintf(to, "*%u", end - i);
  }
  fputc(']', to);
}

static void put_vector(FILE *to, const char *name, const struct trace_vector *vector, uint64_t lanes, unsigned width) {
  uint64_t value[TRACE_LANES], base, stride;
  trace_spread(vector, width, value);
  fprintf(to, " %s=", name);
  if (is_line(value, lanes, &base, &stride))
    put_line(to, base, stride);
  else
    put_list(to, value, lanes);
}

static void put_notes(FILE *to, const struct trace_op *op) {
  for (uint32_t i = 0; i < op->notes; i++) {
    const struct trace_note *note = &op->note[i];
    fprintf(to, "note %s", trace_note_names[note->kind]);
    for (uint32_t v = 0; v < note->values; v++) {
      fputc(' ', to);
      put_number(to, note->value[v]);
    }
    if (note->text && *note->text) {
      fputc(' ', to);
      text_put_string(to, note->text, strlen(note->text));
    }
    fputc('\n', to);
  }
}

/* `mask` is the mask of the previous line. The next line gives the pc of the next operation, so only the last one must
 * write `next`. */
static void put_operation(struct text_writer *writer, const struct trace_launch *launch, const struct trace_op *op,
                          uint64_t mask, bool last) {
  const struct trace_kind_row *row = &trace_kind_rows[op->kind];
  FILE *to = writer->to;
  fprintf(to, "%" PRIu32, op->pc);
  if (last && op->next != (uint32_t)(op->pc + 1))
    fprintf(to, " next=%" PRIu32, op->next);
  if (op->mask != mask)
    fprintf(to, " mask=0x%" PRIx64, op->mask);
  for (unsigned bit = 0; bit < TRACE_FLAG_BITS; bit++)
    if (op->flags >> bit & 1)
      fprintf(to, " %s", trace_flag_names[bit]);
  for (unsigned i = 0; op->mask && i < row->fields; i++)
    if (op->field[i]) {
      fprintf(to, " %s=", row->field[i].name);
      put_number(to, op->field[i]);
    }
  const uint64_t lanes = row->vectors ? trace_lanes(op) : 0;
  for (unsigned i = 0; lanes && i < row->vectors; i++)
    put_vector(to, row->vector[i].name, &op->vector[i], lanes, launch->lanes);
  const struct text_hooks *hooks = writer->hooks;
  const char *comment = hooks->comment ? hooks->comment(hooks->self, launch->program, op->pc) : NULL;
  if (comment) {
    fputs("  # ", to);
    fputs(comment, to);
  }
  fputc('\n', to);
  put_notes(to, op);
}

/* ---- batches ------------------------------------------------------------------------------------- */

static struct resident *find_resident(struct text_writer *writer, const struct trace_batch *batch) {
  for (size_t i = 0; i < writer->resident_count; i++)
    if (writer->residents[i].group == batch->group && writer->residents[i].launch == batch->launch)
      return &writer->residents[i];
  return NULL;
}

static struct resident *new_resident(struct text_writer *writer, const struct trace_batch *batch) {
  struct resident *resident = vector_next(writer->residents, writer->resident_count, writer->resident_room);
  *resident = (struct resident){.launch = batch->launch,
                                .group = batch->group,
                                .warps = batch->warps,
                                .begun = need(batch->warps, sizeof *resident->begun),
                                .decoders = need(batch->warps, sizeof *resident->decoders)};
  return resident;
}

static void free_resident(struct text_writer *writer, struct resident *resident) {
  for (uint32_t i = 0; i < resident->warps; i++)
    decode_free(&resident->decoders[i]);
  free(resident->decoders);
  free(resident->begun);
  *resident = writer->residents[--writer->resident_count];
}

static bool fail_piece(struct text_writer *writer, const struct trace_batch *batch, uint32_t warp, const char *what) {
  return block_expected(&writer->trace->in, writer->offset, what, "others, in launch %u, group %u, warp %u",
                        batch->launch, batch->group, warp);
}

/* Prepares the decoder for the operations of the piece. Returns whether that worked. */
static bool begin_piece(struct text_writer *writer, struct resident *resident, const struct reader_piece *piece,
                        uint32_t *pc) {
  struct decoder *decoder = &resident->decoders[piece->warp];
  const struct trace_launch *launch = &writer->trace->launches[resident->launch];
  const struct reader_program *program = &writer->trace->programs[launch->program];
  decode_piece(decoder, piece->bytes, (size_t)piece->size, piece->operations);
  if (resident->begun[piece->warp])
    return decode_go_on(decoder);
  resident->begun[piece->warp] = true;
  stream_start(&decoder->stream, program->kinds, program->count, launch->lanes);
  return decode_start(decoder, pc);
}

static bool put_piece(struct text_writer *writer, struct resident *resident, const struct trace_batch *batch,
                      const struct reader_piece *piece) {
  struct decoder *decoder = &resident->decoders[piece->warp];
  const struct trace_launch *launch = &writer->trace->launches[batch->launch];
  uint64_t mask = all_lanes(launch->lanes);
  uint32_t pc = 0;
  struct trace_op op = {.flags = 0};
  fprintf(writer->to, "warp %" PRIu32, piece->warp);
  if (!begin_piece(writer, resident, piece, &pc))
    return fail_piece(writer, batch, piece->warp, decoder->wrong);
  if (!piece->operations)
    fprintf(writer->to, " pc=%" PRIu32, pc);
  fputc('\n', writer->to);
  while (decode_left(decoder)) {
    if (op.flags & TRACE_DONE)
      return fail_piece(writer, batch, piece->warp, "nothing after a warp's last operation");
    if (!decode(decoder, &op))
      return fail_piece(writer, batch, piece->warp, decoder->wrong);
    put_operation(writer, launch, &op, mask, !decode_left(decoder));
    mask = op.mask;
  }
  return decode_at_end(decoder) || fail_piece(writer, batch, piece->warp, "as many bytes as a piece's operations have");
}

static bool put_batch(struct text_writer *writer, struct reader_batch *batch) {
  const struct trace_batch *head = &batch->head;
  struct reader_piece piece;
  struct resident *resident = find_resident(writer, head);
  resident = resident ? resident : new_resident(writer, head);
  if (resident->warps != head->warps)
    return fail_piece(writer, head, 0, "as many warps as the group had before");
  fprintf(writer->to, "\ngroup %" PRIu32 " launch=%" PRIu32 " warps=%" PRIu32 " cu=%" PRIu32, head->group, head->launch,
          head->warps, head->cu);
  fprintf(writer->to, " from=%" PRIu64 " to=%" PRIu64 "%s\n", head->from, head->to, head->last ? "" : " more");
  while (reader_piece(batch, &piece))
    if (!put_piece(writer, resident, head, &piece))
      return false;
  if (head->last)
    free_resident(writer, resident);
  return true;
}

/* ---- the file --------------------------------------------------------------------------------------- */

static bool put_data(struct text_writer *writer, const struct block *block, struct bytes *payload) {
  struct trace *trace = writer->trace;
  if (!block_read_payload(&trace->in, writer->offset, block, payload))
    return false;
  struct cursor cursor = {payload->at, payload->at + payload->size, false};
  for (unsigned place = 0; cursor.at < cursor.end; place++) {
    struct reader_batch batch;
    if (!reader_batch(trace, &cursor, &batch))
      return block->cut || block_expected(&trace->in, writer->offset, "batches of the trace's launches",
                                          "others, in batch %u of the block", place);
    if (!put_batch(writer, &batch))
      return false;
  }
  return true;
}

static bool put_block(struct text_writer *writer, uint32_t number, struct bytes *payload) {
  struct trace *trace = writer->trace;
  struct block block;
  writer->offset = trace->in.offsets[number];
  if (!block_read_header(&trace->in, writer->offset, number, &block))
    return false;
  if (block.type == BLOCK_META && writer->metas < trace->in.meta_count)
    put_meta(writer);
  else if (block.type == BLOCK_PROGRAM && writer->programs < trace->program_count)
    put_program(writer);
  else if (block.type == BLOCK_LAUNCH && writer->launches < trace->launch_count)
    put_launch(writer);
  return block.type != BLOCK_DATA || put_data(writer, &block, payload);
}

bool trace_text_write(struct trace *trace, FILE *to, const struct text_hooks *hooks, struct message *error) {
  struct text_writer writer = {.trace = trace, .to = to, .hooks = hooks};
  struct bytes payload = {0};
  bool good = true;
  fprintf(to, "wwtt %d\n", TEXT_VERSION);
  for (uint32_t i = 0; good && i < trace->in.blocks && !ferror(to); i++)
    good = put_block(&writer, i, &payload);
  while (writer.resident_count)
    free_resident(&writer, &writer.residents[writer.resident_count - 1]);
  free(writer.residents);
  free(payload.at);
  if (!good)
    *error = trace->in.error;
  return good;
}
