#include "sim/core/params.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/message.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"

static const struct param_row *find_exact(const struct param_group *groups, size_t count, const char *key,
                                          const struct param_group **group) {
  for (size_t g = 0; g < count; g++) {
    size_t prefix = strlen(groups[g].name);
    if (strncmp(key, groups[g].name, prefix) != 0 || key[prefix] != '.')
      continue;
    for (size_t i = 0; i < groups[g].count; i++)
      if (strcmp(key + prefix + 1, groups[g].rows[i].name) == 0) {
        if (group)
          *group = &groups[g];
        return &groups[g].rows[i];
      }
  }
  return NULL;
}

static void find_nearest(const struct param_group *groups, size_t count, const char *key, char nearest[64]) {
  typedef char full_name[64];
  size_t all = 0, n = 0;
  for (size_t g = 0; g < count; g++)
    all += groups[g].count;
  full_name *full = need(all, sizeof *full);
  const char **word = need(all, sizeof *word), **last = need(all, sizeof *last);
  for (size_t g = 0; g < count; g++)
    for (size_t i = 0; i < groups[g].count; i++, n++) {
      snprintf(full[n], sizeof *full, "%s.%s", groups[g].name, groups[g].rows[i].name);
      word[n] = full[n];
      last[n] = groups[g].rows[i].name;
    }
  const char *near = nearest_word(key, word, all, sizeof *word), *bare = NULL;
  if (!near && (bare = nearest_word(key, last, all, sizeof *last))) { /* the group is missing, and only one has it */
    size_t same = 0;
    for (size_t i = 0; i < all; i++)
      if (strcmp(last[i], bare) == 0)
        near = same++ ? NULL : word[i];
  }
  snprintf(nearest, 64, "%s", near ? near : "");
  free(last);
  free(word);
  free(full);
}

const struct param_row *param_find(const struct param_group *groups, size_t count, const char *key,
                                   const struct param_group **group, char nearest[64]) {
  const struct param_row *row = find_exact(groups, count, key, group);
  if (!row && nearest)
    find_nearest(groups, count, key, nearest);
  return row;
}

bool param_choice(const char *choices, uint32_t index, char word[32]) {
  for (const char *at = choices; *at; index--) {
    size_t length = strcspn(at, " ");
    if (!index) {
      snprintf(word, 32, "%.*s", (int)length, at);
      return true;
    }
    at += length;
    at += strspn(at, " ");
  }
  return false;
}

static bool parse_number(const char *text, uint64_t *value) {
  if (!isdigit((unsigned char)text[0]))
    return false;
  char *end = NULL;
  errno = 0;
  *value = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
  if (errno)
    return false;
  const char *suffix = "KMG", *at = *end ? strchr(suffix, toupper((unsigned char)*end)) : NULL;
  if (at) {
    unsigned shift = 10u * (unsigned)(at - suffix + 1);
    if (*value > UINT64_MAX >> shift)
      return false;
    *value <<= shift;
    end++;
  }
  return *end == '\0';
}

static bool set_choice(const struct param_row *row, uint32_t *at, const char *key, const char *value,
                       char message[PARAM_MESSAGE]) {
  char word[32];
  for (uint32_t i = 0; param_choice(row->choices, i, word); i++)
    if (strcmp(word, value) == 0) {
      *at = i;
      return true;
    }
  snprintf(message, PARAM_MESSAGE, "%s: '%.40s' is not one of: %s", key, value, row->choices);
  return false;
}

static bool set_number(const struct param_row *row, uint32_t *at, const char *key, const char *value,
                       char message[PARAM_MESSAGE]) {
  uint64_t number = 0;
  if (!parse_number(value, &number)) {
    snprintf(message, PARAM_MESSAGE, "%s: '%.40s' is not a whole number in [%u, %u]%s%s", key, value, row->minimum,
             row->maximum, *row->unit ? " " : "", row->unit);
    return false;
  }
  if (number < row->minimum || number > row->maximum) {
    snprintf(message, PARAM_MESSAGE, "%s: %.40s is outside [%u, %u]%s%s", key, value, row->minimum, row->maximum,
             *row->unit ? " " : "", row->unit);
    return false;
  }
  if (row->kind == PARAM_POWER_OF_TWO && (number & (number - 1))) {
    snprintf(message, PARAM_MESSAGE, "%s: %.40s is not a power of two in [%u, %u]%s%s", key, value, row->minimum,
             row->maximum, *row->unit ? " " : "", row->unit);
    return false;
  }
  *at = (uint32_t)number;
  return true;
}

bool param_set(const struct param_group *groups, size_t count, void *all, const char *key, const char *value,
               char message[PARAM_MESSAGE]) {
  const struct param_group *group = NULL;
  char nearest[64], hint[MESSAGE_HINT];
  const struct param_row *row = param_find(groups, count, key, &group, nearest);
  if (!row) {
    snprintf(message, PARAM_MESSAGE, "no parameter '%.60s'%s ('warpwait params' lists them)", key,
             message_hint(hint, nearest));
    return false;
  }
  uint32_t *at = param_at(group, row, all);
  return row->kind == PARAM_CHOICE ? set_choice(row, at, key, value, message)
                                   : set_number(row, at, key, value, message);
}

void param_defaults(const struct param_group *groups, size_t count, void *all) {
  for (size_t g = 0; g < count; g++)
    for (size_t i = 0; i < groups[g].count; i++) {
      char key[64], message[PARAM_MESSAGE];
      snprintf(key, sizeof key, "%s.%s", groups[g].name, groups[g].rows[i].name);
      bool legal = param_set(groups, count, all, key, groups[g].rows[i].initial, message);
      assert(legal && "a default is inside its own range");
      (void)legal;
    }
}

void param_text(const struct param_group *group, const struct param_row *row, const void *all, char text[32]) {
  uint32_t value = param_value(group, row, all);
  if (row->kind != PARAM_CHOICE || !param_choice(row->choices, value, text))
    snprintf(text, 32, "%u", value);
}
