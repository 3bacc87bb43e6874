#include "tools/timeline/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/core/timeline.h"

bool timeline_read_sample(const char *word, struct timeline_window *window, struct message *message) {
  const char *at = word;
  return (text_read_whole(&at, &window->sample) && *at++ == '/' && text_read_whole(&at, &window->period) && !*at &&
          window->sample && window->sample <= window->period) ||
         message_fail(message, "--sample: '%.60s' is not LENGTH/PERIOD, cycles with 1 <= LENGTH <= PERIOD", word);
}

/* The bit of a kind, or of all kinds of a block; 0: there is no such name. */
static uint32_t kinds_of(const char *name) {
  uint32_t kinds = 0;
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++)
    if (strcmp(name, timeline_kind_rows[kind].name) == 0 ||
        strcmp(name, timeline_block_rows[timeline_kind_rows[kind].block].name) == 0)
      kinds |= UINT32_C(1) << kind;
  return kinds;
}

static bool refuse_event(const char *name, struct message *message) {
  const char *names[TIMELINE_BLOCKS + TIMELINE_KINDS];
  char hint[300];
  for (unsigned i = 0; i < TIMELINE_BLOCKS; i++)
    names[i] = timeline_block_rows[i].name;
  for (unsigned i = 0; i < TIMELINE_KINDS; i++)
    names[TIMELINE_BLOCKS + i] = timeline_kind_rows[i].name;
  message_suggest(hint, sizeof hint, name, names, TIMELINE_BLOCKS + TIMELINE_KINDS);
  return message_fail(message, "--events: '%.60s' is neither a block nor a kind of event%s", name, hint);
}

bool timeline_read_events(const char *word, struct timeline_window *window, struct message *message) {
  bool good = true;
  char *copy = need_copy(word), *rest = copy;
  for (char *name; good && (name = strsep(&rest, ","));) {
    const uint32_t kinds = kinds_of(name);
    window->kinds |= kinds;
    good = kinds || refuse_event(name, message);
  }
  free(copy);
  return good;
}

bool timeline_read_cus(const char *list, uint8_t *cus, uint32_t count, struct message *message) {
  for (const char *at = list;; at++) {
    uint64_t first = 0, last = 0;
    bool good = text_read_whole(&at, &first);
    last = first;
    if (good && *at == '-')
      at++, good = text_read_whole(&at, &last);
    if (!good || (*at && *at != ',') || last < first)
      return message_fail(message, "--cu: '%.60s' is not a list of numbers and ranges, such as 0,2,5-7", list);
    if (last >= count)
      return message_fail(message, "--cu: %" PRIu64 " is outside [0, %u], the machine's compute units", last,
                          count - 1);
    memset(cus + first, 1, (size_t)(last - first + 1));
    if (!*at)
      return true;
  }
}
