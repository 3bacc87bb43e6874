/* The timeline and the page of a library's run, as watchers. */
#include <stdlib.h>

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "tools/page/page.h"
#include "tools/timeline/record.h"

struct api_page {
  bool wanted; /* the page, not only the timeline */
  cycle_t before;
  struct run_watcher lanes_watcher;
  struct page_lanes *lanes;
  struct page page;
  struct text timeline, html; /* for the page */
  struct api_sink caller;     /* receives the timeline */
  struct sink sink;           /* for both */
  struct timeline_recording timelined;
  struct timeline shifted, *unshifted; /* events converted to the device's time, and the recording's own listener */
};

static void take_shifted(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  const struct api_page *page = self;
  const struct timeline_event shifted = api_event_since(event, page->before);
  page->unshifted->take(page->unshifted->self, stream, now, &shifted);
}

static bool take_bytes(void *self, const char *data, size_t size, struct message *message) {
  struct api_page *page = self;
  if (page->wanted)
    text_add(&page->timeline, data, size);
  return !page->caller.to.write || page->caller.sink.write(page->caller.sink.self, data, size, message);
}

bool api_page_begin(const ww_watch *watch, const struct job *job, cycle_t before, struct run_options *options,
                    struct api_page **to, struct message *message) {
  const struct timeline_window window = {.to = NEVER, .kinds = (UINT32_C(1) << TIMELINE_KINDS) - 1};
  struct api_page *page = *to = need(1, sizeof *page);
  struct run_watcher *watcher = &page->timelined.watcher;
  page->wanted = watch->page;
  page->before = before;
  page->page.built = true; /* its points run one built program, and their output is not verified */
  if (page->wanted) {
    page->lanes = page_lanes_new();
    page->lanes_watcher = page_lanes_watcher(page->lanes);
    run_watch(options, &page->lanes_watcher);
  }
  api_sink(&page->caller, watch->timeline);
  page->sink = (struct sink){take_bytes, page};
  if (!timeline_record_sink(&page->timelined, &page->sink, &window, job, message))
    return false;
  if (before) {
    page->unshifted = watcher->timeline;
    page->shifted = (struct timeline){.take = take_shifted, .self = page, .kinds = page->unshifted->kinds};
    watcher->timeline = &page->shifted;
  }
  run_watch(options, watcher);
  return true;
}

bool api_page_ended(const struct api_page *page) { return page->caller.ended; }

static bool print_page(struct api_page *page, const struct job *job, const struct launch_result *results, size_t count,
                       struct message *message) {
  const struct trace_place timeline = {"the timeline", page->timeline.data, page->timeline.length};
  const struct report report = {.job = job, .results = results, .count = count};
  page_take_lanes(&page->page, page->lanes);
  if (!page_take_timeline(&page->page, &timeline, message))
    return false;
  page_add(&page->page, "as run", &report);
  page_print(&page->page, job, &page->html);
  return true;
}

bool api_page_end(struct api_page *page, const struct job *job, const struct launch_result *results, size_t count,
                  bool good, struct message *message) {
  if (!page->timelined.writer)
    return good;
  struct launch_result *shifted = need(count, sizeof *shifted);
  for (size_t i = 0; i < count; i++) {
    shifted[i] = results[i];
    shifted[i].start += page->before;
  }
  good = timeline_recorded(&page->timelined, job, shifted, count, good, message) &&
         (!page->wanted || print_page(page, job, shifted, count, message));
  free(shifted);
  return good;
}

void api_page_keep(const struct api_page *page, struct text *to) {
  if (page->html.length)
    text_add(to, page->html.data, page->html.length);
}

void api_page_free(struct api_page *page) {
  if (page->lanes)
    page_lanes_free(page->lanes);
  page_free(&page->page);
  free(page->timeline.data);
  free(page->html.data);
  free(page);
}
