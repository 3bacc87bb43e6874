/* Any sweep file gives an error in one line, or points that are in range and have different keys. */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *constant(void *context, const char *machine, const char *name, char nearest[64]) {
  (void)context;
  (void)machine;
  strcpy(nearest, "dma.queue");
  return strncmp(name, "dma.", 4) == 0 ? "8" : strncmp(name, "cu.", 3) == 0 ? "fair" : NULL;
}

static void check_points(const struct sweep_plan *plan) {
  uint32_t value[PLAN_AXES];
  char *before = NULL;
  for (uint64_t number = 0; number < plan->points && number < 50; number++) {
    plan_point(plan, number, value);
    for (size_t i = 0; i < plan->axes; i++)
      if (value[i] >= plan->axis[i].count)
        abort();
    char *key = plan_key(plan, value);
    if (before && strcmp(before, key) == 0)
      abort();
    free(before);
    before = key;
    plan_cost(plan, value);
  }
  free(before);
  if (!plan->points || plan_count(plan).points > plan->points || !plan_count(plan).points)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sweep_plan plan;
  struct message message[1] = {{""}};
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0'; /* text after a zero byte is not seen */
  bool good = plan_parse(text, "fuzz.ini", &plan, message);
  if (good && (plan.grid <= 4096 || !plan.constraint_count)) { /* a larger grid takes too long */
    good = plan_settle(&plan, constant, NULL, message);
    if (good)
      check_points(&plan);
  }
  if (!good && strncmp(message->text, "fuzz.ini:", 9) != 0)
    abort();
  plan_free(&plan);
  free(text);
  return 0;
}
