/* Statistics: one row per fact.
 *
 * A module lists its counters in a `*.stats.def`, one row each:
 *
 *     STAT(name, "unit", "sentence: what one count stands for")
 *
 * The struct, the JSON report and the reference manual come from the rows. Counters are uint64_t and only grow during a
 * launch. stats_add() adds up the counters of several instances. */
#ifndef SIM_CORE_STATS_H
#define SIM_CORE_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stat_row {
  const char *name;
  const char *unit;
  size_t offset;
  const char *text;
};

struct stat_group {
  const char *name;
  const char *title;
  const struct stat_row *rows;
  size_t count;
};

#define STAT_FIELD(name, ...) uint64_t name;
#define STAT_ROW(type, name, unit, text) {#name, unit, offsetof(type, name), text},

static inline uint64_t stat_value(const struct stat_row *row, const void *stats) {
  return *(const uint64_t *)(const void *)((const char *)stats + row->offset);
}

/* Adds every counter of `from` to `into`. */
static inline void stats_add(const struct stat_group *group, void *into, const void *from) {
  for (size_t i = 0; i < group->count; i++)
    *(uint64_t *)(void *)((char *)into + group->rows[i].offset) += stat_value(&group->rows[i], from);
}

#endif
