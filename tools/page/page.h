/* `--html FILE`: one file that shows a run in a browser, without a network (docs/page.md).
 *
 *     the original run ───┐              label, report, timeline, lanes, source
 *     key = first value ──┼─► points ──► JSON ──► deflate ──► base64 ─┐
 *     key = next value  ──┘                                           ├─► FILE
 *     tools/page/: page, style, scripts, d3 (compiled in) ──────────────┘
 *
 * With `--html-vary KEY=VALUES` the job runs again for each value, and the page's slider moves through these points.
 * The original run is a separate point unless one of the values gives an identical run. A point that leaves other
 * results in the buffers is flagged: its cycles are for other work.
 *
 * Invariant: the bytes of the file depend only on the runs. */
#ifndef TOOLS_PAGE_PAGE_H
#define TOOLS_PAGE_PAGE_H

#include "sim/report/report.h"
#include "tools/page/lanes.h"
#include "tools/sweep/plan.h"
#include "traces/trace.h"

enum {
  PAGE_POINTS = 64,           /* maximum number of values */
  PAGE_SLICES = 1000000,      /* maximum for all points together */
  PAGE_POINT_SLICES = 250000, /* maximum for one point */
};

struct page_point {
  char *label, *timeline, *data; /* `data` goes into the file; `timeline` is kept for comparison */
  struct json_t *summary;
  uint64_t left; /* a hash of its buffers' contents; 0 for a recording, which has no data */
};

struct page {
  const char *path, *vary; /* NULL: not requested */
  bool built;              /* the program is already built, because a recording is replayed */
  char *key;               /* the axis's */
  struct sweep_axis axis;
  char *timeline, *lanes; /* JSON from the last run */
  struct page_point point[PAGE_POINTS + 1];
  size_t points;
};

/* Reads and checks the axis. */
bool page_settle(struct page *page, struct message *message);
void page_free(struct page *page);

/* Whether the axis is a define: then "NAME=VALUE" goes to the compiler, not to the machine. */
bool page_defines(const struct page *page);

/* Whether the axis is an argument of the launch, which vary.h parses. */
bool page_varies_arguments(const struct page *page);

/* Take from the last run its timeline in our own format (a file or bytes that need not outlive the call), and its
 * lanes. */
bool page_take_timeline(struct page *page, const struct trace_place *timeline, struct message *message);
void page_take_lanes(struct page *page, const struct page_lanes *lanes);

/* Adds a point made of the last run and its report. */
void page_add(struct page *page, const char *label, const struct report *report);

/* Appends the page. */
void page_print(const struct page *page, const struct job *job, struct text *text);

/* The page without its data: tools/page, compiled in. The data replaces PAGE_MARK. */
#define PAGE_MARK "<!-- data -->"
extern const unsigned char page_template[];
extern const size_t page_template_bytes;

#endif
