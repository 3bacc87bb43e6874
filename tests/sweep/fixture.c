#include "tests/sweep/fixture.h"

#include <stdio.h>
#include <string.h>

const char *fixture_constant(void *context, const char *machine, const char *name, char nearest[64]) {
  (void)context;
  const bool h200 = machine && strcmp(machine, "h200") == 0;
  if (strcmp(name, "mem.l1_size") == 0)
    return h200 ? "262144" : "32768";
  if (strcmp(name, "cu.policy") == 0)
    return h200 ? "fair" : "oldest";
  snprintf(nearest, 64, "%s", *name == 'm' ? "mem.l1_size" : "");
  return NULL;
}

bool fixture_plan(const char *text, struct sweep_plan *plan) {
  struct message message[1] = {{""}};
  const bool good = plan_parse(text, "d/s.ini", plan, message) && plan_settle(plan, fixture_constant, NULL, message);
  EXPECT_STREQ(message->text, "");
  return EXPECT_TRUE(good);
}

const char *fixture_word(const struct sweep_plan *plan, const uint32_t *value, const char *axis) {
  for (size_t i = 0; i < plan->axes; i++)
    if (strcmp(plan->axis[i].name, axis) == 0)
      return plan->axis[i].value[value[i]];
  return "";
}

char *fixture_page(const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *page = fopen(path, "r"), *copy = open_memstream(&text, &size);
  for (int c; page && (c = getc(page)) != EOF;)
    putc(c, copy);
  fclose(copy);
  if (page)
    fclose(page);
  return text;
}
