#include "tools/import/lines.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "sim/base/need.h"
#include "sim/base/text.h"

enum { INPUT_BYTES = 1 << 16, ROOM = 2 * SASS_LINE_BYTES, XZ_MEMORY = 512 << 20 };

struct sass_lines {
  char *path;
  gzFile gzip; /* for gzip and uncompressed files */
  FILE *xz;
  lzma_stream stream;
  uint8_t *input; /* of `stream` */
  char *text;     /* ROOM bytes and a terminating zero */
  size_t from, to, seen;
  uint64_t number;
  bool ended;
};

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Detects the compression by the first bytes. */
static bool look(struct sass_lines *lines, FILE *file, bool *is_xz, struct message *message) {
  static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
  uint8_t head[sizeof xz] = {0};
  const size_t got = fread(head, 1, sizeof head, file);
  if (ferror(file))
    return message_fail_at(message, lines->path, 0, "%s", text_errno(errno));
  *is_xz = got == sizeof xz && memcmp(head, xz, sizeof xz) == 0;
  if (memcmp(head, zstd, sizeof zstd) == 0)
    return message_fail_at(message, lines->path, 0, "is compressed with zstd; legal: xz, gzip and plain text");
  return true;
}

static bool open_xz(struct sass_lines *lines, struct message *message) {
  lines->stream = (lzma_stream)LZMA_STREAM_INIT;
  lines->input = need(INPUT_BYTES, 1);
  lines->xz = fopen(lines->path, "rbe");
  if (lines->xz && lzma_stream_decoder(&lines->stream, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK)
    return true;
  return message_fail_at(message, lines->path, 0, "%s", lines->xz ? "out of memory for xz" : text_errno(errno));
}

/* A pipe might never end, and cannot be opened a second time. */
static bool is_pipe(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool open_any(struct sass_lines *lines, struct message *message) {
  if (is_pipe(lines->path))
    return message_fail_at(message, lines->path, 0, "is not a regular file");
  FILE *file = fopen(lines->path, "rbe");
  bool is_xz = false;
  if (!file)
    return message_fail_at(message, lines->path, 0, "%s", text_errno(errno));
  const bool good = look(lines, file, &is_xz, message);
  fclose(file);
  if (!good || is_xz)
    return good && open_xz(lines, message);
  lines->gzip = gzopen(lines->path, "rbe");
  return lines->gzip || message_fail_at(message, lines->path, 0, "%s", text_errno(errno));
}

struct sass_lines *sass_lines_open(const char *path, struct message *message) {
  struct sass_lines *lines = need(1, sizeof *lines);
  lines->path = need_copy(path);
  lines->text = need(ROOM + 1, 1);
  if (open_any(lines, message))
    return lines;
  sass_lines_close(lines);
  return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static bool fill_gzip(struct sass_lines *lines, struct message *message) {
  int status = Z_OK;
  const int got = gzread(lines->gzip, lines->text + lines->to, (unsigned)(ROOM - lines->to));
  const char *why = gzerror(lines->gzip, &status);
  if (got < 0 || (!got && status != Z_OK && status != Z_STREAM_END))
    return message_fail_at(message, lines->path, lines->number + 1, "cannot be decompressed beyond this point: %s",
                           status == Z_ERRNO ? text_errno(errno) : why);
  lines->to += (size_t)got;
  lines->ended = !got;
  return true;
}

static bool fill_xz(struct sass_lines *lines, struct message *message) {
  lzma_stream *stream = &lines->stream;
  lzma_ret status = LZMA_OK;
  stream->next_out = (uint8_t *)lines->text + lines->to;
  stream->avail_out = ROOM - lines->to;
  while (status == LZMA_OK && stream->avail_out == ROOM - lines->to) {
    if (!stream->avail_in) {
      stream->next_in = lines->input;
      stream->avail_in = fread(lines->input, 1, INPUT_BYTES, lines->xz);
      if (ferror(lines->xz))
        return message_fail_at(message, lines->path, lines->number + 1, "%s", text_errno(errno));
    }
    status = lzma_code(stream, stream->avail_in ? LZMA_RUN : LZMA_FINISH);
  }
  if (status != LZMA_OK && status != LZMA_STREAM_END)
    return message_fail_at(message, lines->path, lines->number + 1, "cannot be decompressed beyond this point: %s",
                           status == LZMA_BUF_ERROR ? "the xz data is cut off" : "the xz data is damaged");
  lines->to = ROOM - stream->avail_out;
  lines->ended = status == LZMA_STREAM_END;
  return true;
}

static bool fill(struct sass_lines *lines, struct message *message) {
  memmove(lines->text, lines->text + lines->from, lines->to - lines->from);
  lines->to -= lines->from;
  lines->from = 0;
  lines->seen = lines->to;
  if (lines->to >= SASS_LINE_BYTES)
    return message_fail_at(message, lines->path, lines->number + 1, "the line is longer than %d bytes",
                           SASS_LINE_BYTES);
  return lines->xz ? fill_xz(lines, message) : fill_gzip(lines, message);
}

char *sass_lines_next(struct sass_lines *lines, bool *good, struct message *message) {
  char *end = NULL;
  *good = true;
  lines->seen = lines->from;
  while (!(end = memchr(lines->text + lines->seen, '\n', lines->to - lines->seen)) && !lines->ended)
    if (!(*good = fill(lines, message)))
      return NULL;
  if (!end && lines->from == lines->to)
    return NULL;
  char *line = lines->text + lines->from;
  end = end ? end : lines->text + lines->to;
  lines->from = (size_t)(end - lines->text) + (end != lines->text + lines->to);
  lines->number++;
  if (end > line && end[-1] == '\r')
    end--;
  *end = '\0';
  return line;
}

uint64_t sass_lines_number(const struct sass_lines *lines) { return lines->number; }

void sass_lines_close(struct sass_lines *lines) {
  if (lines->gzip)
    gzclose(lines->gzip);
  if (lines->xz) {
    lzma_end(&lines->stream);
    fclose(lines->xz);
  }
  free(lines->input);
  free(lines->text);
  free(lines->path);
  free(lines);
}
