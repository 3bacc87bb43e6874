/* `--html FILE`: one file that shows a run in a browser, without a network (docs/page.md).
 *
 *     the run as asked ───┐              label, report, timeline, lanes, source
 *     key = first value ──┼─► points ──► JSON ──► deflate ──► base64 ─┐
 *     key = next value  ──┘                                           ├─► FILE
 *     sim/page/: page, style, scripts, d3 (compiled in) ──────────────┘
 *
 * With `--html-vary KEY=VALUES` the job runs again for each value, and the page's slider goes through these points. The
 * run as asked is a point of its own unless one of the values does just the same. A point that leaves other results in
 * the buffers than the run as asked is marked: its cycles are those of other work.
 *
 * Invariant: the bytes of the file depend on the runs alone. */
#ifndef SIM_PAGE_PAGE_H
#define SIM_PAGE_PAGE_H

#include "sim/page/lanes.h"
#include "sim/report/report.h"
#include "sim/sweep/plan.h"
#include "traces/trace.h"

enum {
  PAGE_POINTS = 64,           /* values of an axis, at most */
  PAGE_SLICES = 1000000,      /* of all points together */
  PAGE_POINT_SLICES = 250000, /* of one */
};

struct page_point {
  char *label, *timeline, *data; /* `data` is what the file holds; `timeline` is kept to compare */
  struct json_t *summary;
  uint64_t left; /* in its buffers: a hash; 0 of a recording, which has no data */
};

struct page {
  const char *path, *vary; /* NULL: not asked for */
  bool built;              /* what runs is a recording: its program is built already */
  char *key;               /* of the axis */
  struct sweep_axis axis;
  char *timeline, *lanes; /* JSON of the last run */
  struct page_point point[PAGE_POINTS + 1];
  size_t points;
};

/* Reads and checks the axis. */
bool page_settle(struct page *page, struct message *message);
void page_free(struct page *page);

/* The axis is a define: "NAME=VALUE" is for the compiler, not for the machine. */
bool page_defines(const struct page *page);

/* The axis is an argument of the launch, which vary.h reads. */
bool page_varies_arguments(const struct page *page);

/* What the last run has told, in our own format, in a file or bytes that may be gone later; and what was seen of its
 * lanes. */
bool page_take_timeline(struct page *page, const struct trace_place *timeline, struct message *message);
void page_take_lanes(struct page *page, const struct page_lanes *lanes);

/* The report of the last run: with it, it becomes a point. */
void page_add(struct page *page, const char *label, const struct report *report);

/* Appends the page. */
void page_print(const struct page *page, const struct job *job, struct text *text);

/* The page without its data: sim/page, compiled in. PAGE_MARK stands where they go. */
#define PAGE_MARK "<!-- data -->"
extern const unsigned char page_template[];
extern const size_t page_template_bytes;

#endif
