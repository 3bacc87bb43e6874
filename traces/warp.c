/* A warp's decoder, which gets the pieces of the warp one after the other. */
#include "sim/base/need.h"
#include "traces/decode.h"
#include "traces/reader.h"

struct trace_warp {
  struct decoder decoder; /* first, because trace_decode() uses it most */
  struct trace *trace;
  uint32_t launch, group, index;
  uint32_t row; /* of the first batch that may contain the next piece */
  bool ended;   /* its last operation was returned */
  struct bytes piece;
};

struct trace_warp *trace_warp_new(struct trace *trace) {
  struct trace_warp *warp = need(1, sizeof *warp);
  warp->trace = trace;
  return warp;
}

void trace_warp_free(struct trace_warp *warp) {
  if (!warp)
    return;
  decode_free(&warp->decoder);
  free(warp->piece.at);
  free(warp);
}

/* Keeps the error, with the batch that contains the piece. */
static bool fail(struct trace_warp *warp, const char *expected) {
  struct trace *trace = warp->trace;
  return block_expected(&trace->in, trace->in.offsets[trace->rows[warp->row - 1].block], expected,
                        "others, in launch %u, group %u, warp %u", warp->launch, warp->group, warp->index);
}

static void take_piece(struct trace_warp *warp, const struct reader_piece *piece) {
  warp->piece.size = 0;
  bytes_add(&warp->piece, piece->bytes, (size_t)piece->size);
  decode_piece(&warp->decoder, warp->piece.at, warp->piece.size, piece->operations);
}

/* Goes to the next piece of the warp, in whichever batch it is. Returns false if there is none. */
static bool next_piece(struct trace_warp *warp) {
  struct trace *trace = warp->trace;
  for (; warp->row < trace->row_count; warp->row++) {
    const struct reader_row *row = &trace->rows[warp->row];
    struct reader_batch batch;
    struct reader_piece piece;
    if (row->launch != warp->launch || row->group != warp->group || !reader_load(trace, row, &batch))
      return false;
    while (reader_piece(&batch, &piece))
      if (piece.warp == warp->index) {
        warp->row++;
        take_piece(warp, &piece);
        return true;
      }
  }
  return false;
}

bool reader_warp_start(struct trace_warp *warp, uint32_t launch, uint32_t group, uint32_t index, uint32_t row,
                       uint32_t *pc) {
  struct trace *trace = warp->trace;
  warp->decoder.run = warp->decoder.operations = 0;
  warp->ended = true;
  if (trace->in.failed || launch >= trace->launch_count)
    return false;
  const struct trace_launch *of = &trace->launches[launch];
  const struct reader_program *program = &trace->programs[of->program];
  warp->launch = launch;
  warp->group = group;
  warp->index = index;
  warp->row = row;
  stream_start(&warp->decoder.stream, program->kinds, program->count, of->lanes);
  warp->decoder.wrong = NULL;
  if (!next_piece(warp))
    return false;
  if (!decode_start(&warp->decoder, pc))
    return fail(warp, warp->decoder.wrong);
  warp->ended = false;
  return true;
}

bool trace_warp_start(struct trace_warp *warp, uint32_t launch, uint32_t group, uint32_t index, uint32_t *pc) {
  return reader_warp_start(warp, launch, group, index, reader_find(warp->trace, launch, group), pc);
}

bool reader_warp_end(struct trace_warp *warp) {
  return decode_left(&warp->decoder) || decode_at_end(&warp->decoder) ||
         fail(warp, "as many bytes as a piece's operations have");
}

void reader_warp_skip(struct trace_warp *warp, uint32_t row) { warp->row = row; }

/* Goes to a piece that has operations. Returns false if there is none, and on an error. */
static bool refill(struct trace_warp *warp) {
  struct decoder *decoder = &warp->decoder;
  while (!decode_left(decoder)) {
    if (warp->ended || warp->trace->in.failed)
      return false;
    if (!decode_at_end(decoder))
      return fail(warp, "as many bytes as a piece's operations have");
    if (!next_piece(warp))
      return false;
    if (!decode_go_on(decoder))
      return fail(warp, decoder->wrong);
  }
  return true;
}

/* An operation that does not match the prediction, or the first of a piece. */
static bool decode_next(struct trace_warp *warp, struct trace_op *op) {
  struct decoder *decoder = &warp->decoder;
  if (!decode_left(decoder) && !refill(warp))
    return false;
  if (!decode(decoder, op)) {
    decoder->run = decoder->operations = 0;
    return fail(warp, decoder->wrong);
  }
  if (op->flags & TRACE_DONE) {
    warp->ended = true;
    if (!decode_at_end(decoder))
      return decoder->run = decoder->operations = 0, fail(warp, "nothing after a warp's last operation");
  }
  return true;
}

const struct trace_common *trace_decode_again(struct trace_warp *warp) {
  struct decoder *decoder = &warp->decoder;
  struct stream *stream = &decoder->stream;
  const uint32_t follower = decoder->run ? stream_follower(stream) : STREAM_NONE;
  if (follower == STREAM_NONE)
    return NULL;
  const struct stream_context *context = stream_context(stream, follower);
  if (!context->bare)
    return NULL;
  decoder->run--;
  stream->last = follower;
  stream->pc = context->common.next;
  stream->mask = context->common.mask;
  return &context->common;
}

bool trace_decode(struct trace_warp *warp, struct trace_op *op) {
  /* The last operation of a stream is always an exception, because its `done` flag is new. */
  if (warp->decoder.run && decode_predicted(&warp->decoder, op))
    return true;
  return decode_next(warp, op);
}
