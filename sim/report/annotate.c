/* The source with its costs in the margin, and a legend of the columns: `warpwait run --annotate`.
 *
 * Shows every file that has a line with costs, the program's own first. Runs of lines without costs are shortened.
 * Shares are of all warp-cycles of the launch, so those shown add up to 100 %. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/text.h"
#include "sim/report/lines.h"
#include "sim/report/report.h"

enum { CONTEXT = 2, SOURCE_WIDTH = 200 };

/* Columns after the first three; an empty column is left out. */
enum column { LDS_CONFLICT, SECTORS, COPY_KIND, COPY_BYTES, REQUEST_BYTES, LATENCY, COLUMNS };

static const struct {
  const char *head;
  int width;
  const char *what;
} columns[COLUMNS] = {[LDS_CONFLICT] = {"LDS conflict", 14, "cycles added by bank conflicts"},
                      [SECTORS] = {"sectors", 11, "of global memory touched by warps' accesses"},
                      [COPY_KIND] = {"copies", 9, "kind of asynchronous copies started here: plain, strided, 2D, 3D"},
                      [COPY_BYTES] = {"copied bytes", 14, "of these copies"},
                      [REQUEST_BYTES] = {"a request", 11, "bytes per request of these copies, or per access of a warp"},
                      [LATENCY] = {"latency", 10, "mean cycles of these copies from issue to completion"}};

struct margin {
  struct text *text;
  uint64_t whole; /* warp-cycles of the launch */
  bool shown[COLUMNS];
  int width;
};

static uint64_t value_of(const struct line_cost *line, enum column column) {
  switch (column) {
  case LDS_CONFLICT:
    return line->cost.lds_conflict_cycles;
  case SECTORS:
    return line->cost.sectors;
  case COPY_KIND:
    return line->cost.copies;
  case COPY_BYTES:
    return line->cost.copy_bytes;
  case REQUEST_BYTES:
    return line->cost.copy_requests;
  default:
    return line->cost.copies_done;
  }
}

static struct margin make_margin(struct text *text, uint64_t whole, const struct line_cost *lines, size_t count) {
  struct margin margin = {.text = text, .whole = whole, .width = 36};
  for (enum column c = 0; c < COLUMNS; c++) {
    for (size_t i = 0; i < count; i++)
      margin.shown[c] |= value_of(&lines[i], c) > 0;
    margin.width += margin.shown[c] ? columns[c].width : 0;
  }
  return margin;
}

static void print_heading(const struct margin *margin) {
  text_print(margin->text, "     %%      issues  mostly waiting  ");
  for (enum column c = 0; c < COLUMNS; c++)
    if (margin->shown[c])
      text_print(margin->text, "%*s", columns[c].width, columns[c].head);
  text_print(margin->text, "   line\n");
}

static void print_margin(const struct margin *margin, const struct line_cost *line) {
  const struct pc_result *cost = &line->cost;
  enum stall stall = line_stall(line);
  struct text *text = margin->text;
  text_print(text, "%6.1f%12s  %-16s", 100 * per((double)line->cycles, (double)margin->whole), TEXT_WHOLE(cost->issues),
             stall == STALL_ISSUED ? "" : stall_rows[stall].name);
  for (enum column c = 0; c < COLUMNS; c++) {
    uint64_t value = value_of(line, c);
    if (margin->shown[c] && !value)
      text_print(text, "%*s", columns[c].width, "");
    else if (margin->shown[c] && c == COPY_KIND)
      text_print(text, "%*s", columns[c].width, report_copy_kind(cost->copy_forms));
    else if (margin->shown[c] && c == REQUEST_BYTES)
      text_print(text, "%*.1f", columns[c].width, (double)cost->copy_moved / (double)value);
    else if (margin->shown[c] && c == LATENCY)
      text_print(text, "%*.1f", columns[c].width, (double)cost->copy_cycles / (double)value);
    else if (margin->shown[c])
      text_print(text, "%*s", columns[c].width, TEXT_WHOLE(value));
  }
}

/* Prints a source line without characters that would disturb a terminal. */
static void print_line(struct text *text, uint32_t number, const char *source) {
  char clean[SOURCE_WIDTH + 1];
  size_t length = 0;
  for (; source && *source && *source != '\n' && length < SOURCE_WIDTH; source++) {
    unsigned char c = (unsigned char)*source;
    if (c == '\t')
      clean[length++] = ' ';
    clean[length++] = c == '\t' ? ' ' : c < ' ' || c == 0x7f ? '?' : *source;
    if (*source == '\r')
      length--;
  }
  clean[length] = '\0';
  text_print(text, "%7" PRIu32 "%s%s\n", number, *clean ? "  " : "", clean);
}

static const char *text_of(const struct isa_source *source, uint32_t line) {
  return source->text && line <= source->lines ? source->text[line - 1] : NULL;
}

static void print_free(const struct margin *margin, const struct isa_source *source, uint32_t line) {
  text_print(margin->text, "%*s", margin->width, "");
  print_line(margin->text, line, text_of(source, line));
}

/* The lines without cost in [first, last]: shows those next to lines with cost, for context. */
static void print_gap(const struct margin *margin, const struct isa_source *source, uint32_t first, uint32_t last,
                      bool at_start, bool at_end) {
  uint32_t head = at_start ? 0 : CONTEXT, tail = at_end ? 0 : CONTEXT;
  if (!source->text || first > last)
    return;
  if (last - first + 1 <= head + tail + 1)
    head = last - first + 1;
  for (uint32_t line = first; line <= last && line - first < head; line++)
    print_free(margin, source, line);
  if (last - first + 1 <= head)
    return;
  text_print(margin->text, "%*s    ... %" PRIu32 " lines\n", margin->width, "", last - first + 1 - head - tail);
  for (uint32_t line = last - tail + 1; line <= last; line++)
    print_free(margin, source, line);
}

/* Prints one file; lines[0..count) are all its lines. */
static void print_file(const struct margin *margin, const struct isa_source *source, const struct line_cost *lines,
                       size_t count) {
  uint32_t next = 1;
  text_print(margin->text, "\n%s%s\n", file_base(source->name),
             source->text ? "" : " (its text cannot be read, so only lines with a cost are shown)");
  print_heading(margin);
  for (size_t i = 0; i < count; i++) {
    print_gap(margin, source, next, lines[i].line - 1, i == 0, false);
    print_margin(margin, &lines[i]);
    print_line(margin->text, lines[i].line, text_of(source, lines[i].line));
    next = lines[i].line + 1;
  }
  print_gap(margin, source, next, source->lines, false, true);
}

/* Adds the columns printed to `shown`. */
static void print_launch(const struct isa_program *program, const struct launch_result *result, struct text *text,
                         bool shown[COLUMNS]) {
  size_t count = 0, unknown = 0;
  struct line_cost *lines = lines_of(program, result, &count);
  const struct margin margin = make_margin(text, result->resident_cycles, lines, count);
  for (enum column c = 0; c < COLUMNS; c++)
    shown[c] |= margin.shown[c];
  for (size_t i = 0, files; i < count; i += files) {
    for (files = 1; i + files < count && lines[i + files].source == lines[i].source && lines[i].line; files++)
      continue;
    if (!lines[i].line || lines[i].source >= program->source_count)
      unknown = i + 1;
    else
      print_file(&margin, &program->sources[lines[i].source], &lines[i], files);
  }
  if (unknown) {
    text_print(text, "\ninstructions without a source line\n");
    print_heading(&margin);
    print_margin(&margin, &lines[unknown - 1]);
    text_print(text, "%7s\n", "-");
  }
  free(lines);
}

static void print_legend(struct text *text, const bool shown[COLUMNS]) {
  text_print(text, "\n%-16s%s\n%-16s%s\n%-16s%s\n", "%", "of all cycles of the launch's warps", "issues",
             "instructions issued by warps", "mostly waiting",
             "the stall that cost the line most; waiting is charged to the line that uses a value,\n                "
             "not to the line that loads it");
  for (enum column c = 0; c < COLUMNS; c++)
    if (shown[c])
      text_print(text, "%-16s%s\n", columns[c].head, columns[c].what);
}

char *report_annotate(const struct report *report) {
  struct text text = {0};
  bool shown[COLUMNS] = {false};
  text_print(&text, "\nthe source, each line with its costs\n");
  for (size_t i = 0; i < report->count; i++) {
    const struct isa_launch *launch = &report->job->launches[i].isa;
    if (report->job->launch_count > 1)
      text_print(&text, "\n======== launch %zu of %zu: %s ========\n", i + 1, report->job->launch_count,
                 launch->kernel->name);
    print_launch(launch->program, &report->results[i], &text, shown);
  }
  print_legend(&text, shown);
  return text.data;
}
