#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "tools/sweep/store.h"

enum { WIDTH = 100 /* characters of a value to show */ };

static void print_named(void *context, const char *name, const char *value) {
  const int cut = strlen(value) > WIDTH;
  text_print(context, "  %-20s %.*s%s\n", name, WIDTH, value, cut ? "..." : "");
}

static void print_best(void *context, const char *key, const char *value) {
  text_print(context, "  %-20s %s\n", value, key);
}

static void keep_first(void *context, const char *name, const char *value) {
  char **first = context;
  (void)value;
  *first = *first ? *first : need_copy(name);
}

static bool print_points(struct store *store, const struct store_order *order, const char *metric, struct text *text,
                         struct message *message) {
  struct store_order best = *order;
  best.metric = metric;
  text_print(text, "points: %llu\n", (unsigned long long)store_count(store));
  if (!store_statuses(store, print_named, text, message))
    return false;
  if (!metric)
    return true;
  const bool mixed = store_clocks_vary(store) && strcmp(metric, "cycles") == 0;
  text_print(text, "%s %s%s:\n", best.most ? "most" : "least", metric,
             mixed ? " (clocks can differ; --by microseconds compares times)" : "");
  return store_best(store, &best, print_best, text, message);
}

bool store_info(struct store *store, const struct store_order *best, struct text *text, struct message *message) {
  char *first = NULL;
  bool good = (!best->metric || store_has_metric(store, best->metric, message)) &&
              store_metrics(store, keep_first, &first, message);
  text_print(text, "sweep:\n");
  good = good && store_facts(store, print_named, text, message);
  text_print(text, "axes:\n");
  good = good && store_axes(store, print_named, text, message);
  const char *metric = best->metric                                                                   ? best->metric
                       : store_clocks_vary(store) && store_has_metric(store, "microseconds", message) ? "microseconds"
                                                                                                      : first;
  good = good && print_points(store, best, metric, text, message);
  free(first);
  return good;
}
