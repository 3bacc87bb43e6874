#include "tools/trace/convert.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/text.h"
#include "tools/trace/text.h"

bool trace_to_text(const struct trace_conversion *call, FILE *stream, struct message *message) {
  struct trace *trace = trace_open(call->in, call->mode, message);
  if (!trace)
    return false;
  trace_report_prefix(trace, message, call->caller);
  struct trace_text *text = trace_text_new(trace);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_write(trace, stream, &hooks, message);
  trace_text_free(text);
  trace_close(trace);
  return good;
}

static bool read_text(const struct trace_conversion *call, FILE *in, struct trace_writer *writer,
                      struct message *message) {
  struct trace_text *text = trace_text_new(NULL);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_read(in, call->in, writer, &hooks, message);
  trace_text_free(text);
  if (good || !message->text[0])
    return trace_writer_close(writer, message);
  trace_writer_abandon(writer);
  return false;
}

bool trace_from_text(const struct trace_conversion *call, int file, struct message *message) {
  FILE *in = fopen(call->in, "rbe");
  if (!in) {
    message_fail(message, "%s: cannot be read: %s", call->in, text_errno(errno));
    close(file);
    return false;
  }
  struct trace_writer *writer = trace_writer_open_on(file, call->out, message);
  const bool good = writer && read_text(call, in, writer, message);
  fclose(in);
  return good;
}

/* ---- choosing the conversion -------------------------------------------------------------------------- */

static const struct {
  const char *what, *magic; /* kind of the files that begin with this */
  size_t bytes;             /* number of its bytes to compare */
  const char *suffix;       /* suffix of the conversion's output */
} rows[] = {
    {"the text of a trace", "wwtt", 4, ".wwt"},
    {"a trace", "\x89WWT\r\n\x1a\n", 8, ".wwtt"},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The first bytes of the file, and their number. */
static bool read_start(const char *path, char start[8], size_t *size, struct message *message) {
  FILE *in = fopen(path, "rbe");
  if (!in)
    return message_fail(message, "%s: cannot be read: %s", path, text_errno(errno));
  *size = fread(start, 1, 8, in);
  const int error = ferror(in) ? errno : 0;
  fclose(in);
  return !error || message_fail(message, "%s: cannot be read: %s", path, text_errno(error));
}

bool trace_conversion_choose(struct trace_conversion *call, struct message *message) {
  char start[8] = "";
  size_t size = 0, row = 0;
  if (!read_start(call->in, start, &size, message))
    return false;
  while (row < ROWS && (size < rows[row].bytes || memcmp(start, rows[row].magic, rows[row].bytes) != 0))
    row++;
  if (row == ROWS)
    return message_fail(message, "%s: is not a trace, the text of one, or a timeline", call->in);
  call->to_text = row;
  return strcmp(file_extension(call->out), rows[row].suffix) == 0 ||
         message_fail(message, "%s: is %s, which cannot be converted to '%s'; legal: %s", call->in, rows[row].what,
                      call->out, rows[row].suffix);
}
