/* `--html FILE`: one file that shows a run in a browser, without a network (docs/page.md).
 *
 *     the run as asked ───┐              label, report, timeline, lanes, source
 *     key = first value ──┼─► points ──► JSON ──► deflate ──► base64 ─┐
 *     key = next value  ──┘                                           ├─► FILE
 *     sim/html/: page, style, scripts, d3 (compiled in) ──────────────┘
 *
 * With `--html-vary KEY=VALUES` the job runs again for each value, and the page's slider goes through these points. The
 * run as asked is a point of its own unless one of the values does just the same. A point that leaves other results in
 * the buffers than the run as asked is marked: its cycles are those of other work.
 *
 * Invariant: the bytes of the file depend on the runs alone. It is written whole, or not at all. */
#ifndef SIM_CLI_PAGE_H
#define SIM_CLI_PAGE_H

#include <argp.h>

#include "sim/cli/page_lanes.h"
#include "sim/cli/report.h"
#include "sim/cli/timeline_options.h"
#include "sim/sweep/plan.h"

enum { KEY_HTML = 320, KEY_HTML_VARY };
enum {
  PAGE_POINTS = 64,           /* values of an axis, at most */
  PAGE_SLICES = 1000000,      /* of all points together */
  PAGE_POINT_SLICES = 250000, /* of one */
};

#define PAGE_OPTIONS(group)                                                                                            \
  {"html", KEY_HTML, "FILE", 0, "Write a page for a browser: timeline, banks, source and stalls", group}, {            \
    "html-vary", KEY_HTML_VARY, "KEY=VALUES", 0,                                                                       \
        "What the page's slider goes through: dma.setup=0,20,40, DEPTH=1..4 or arg.tiles=8,16", group                  \
  }

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

/* timeline_run_job(), looked at for the page. */
bool page_run_job(struct page *page, struct timeline_options *options, struct job *job, struct run_options *how,
                  struct launch_result **results, size_t *count, struct message *message);

/* The report of the last run: with it, it becomes a point. */
void page_add(struct page *page, const char *label, const struct report *report);

bool page_write(struct page *page, const struct job *job, struct message *message);

/* The page without its data: sim/html, compiled in. PAGE_MARK stands where they go. */
#define PAGE_MARK "<!-- data -->"
extern const unsigned char page_template[];
extern const size_t page_template_bytes;

#endif
