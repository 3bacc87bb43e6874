/* Parameters: one row per fact.
 *
 * A module lists its parameters in a `*.params.def`, one row each:
 *
 *     PARAM(name, default, minimum, maximum, "unit", "sentence", "seen in")
 *     POW2 (name, default, minimum, maximum, "unit", "sentence", "seen in")
 *     ENUM (name, default, CHOICE(ID, word) CHOICE(ID, word) ..., "sentence", "seen in")
 *     SWITCH(name, default, "sentence", "seen in")      off or on
 *
 * From the file come the module's struct and enums (params_struct.def), in its header, and the table (params_rows.def)
 * that `--set`, machine files, `warpwait params`, validation and the reference manual read:
 *
 *     #define PARAMS_FILE "lds/lds.params.def"           const struct param_row lds_param_rows[] = {
 *     #define PARAMS_STRUCT lds_params                   #define PARAMS_FILE "lds/lds.params.def"
 *     #define PARAMS_ENUM(name) lds_##name               #define PARAMS_STRUCT lds_params
 *     #include "sim/core/params_struct.def"              #include "sim/core/params_rows.def"
 *                                                        };
 *
 * Every parameter is a uint32_t.
 * An ENUM holds the ID of its choice, of the enum that the module makes of the CHOICEs; the row's `default` is a word.
 * The sentence says whether a limit is physical or only reasonable. */
#ifndef SIM_CORE_PARAMS_H
#define SIM_CORE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum param_kind { PARAM_NUMBER, PARAM_POWER_OF_TWO, PARAM_CHOICE };

struct param_row {
  const char *name;
  enum param_kind kind;
  size_t offset;             /* of the uint32_t in the module's struct */
  const char *initial;       /* the default, as text */
  uint32_t minimum, maximum; /* inclusive; unused for a choice */
  const char *unit;          /* "" for a choice */
  const char *choices;       /* words separated by blanks; NULL for a number */
  const char *text;          /* one sentence */
  const char *seen;          /* hardware that has such values, or "" */
};

/* A group of parameters: `dma` in `dma.channels`. */
struct param_group {
  const char *name;
  const char *title;
  const struct param_row *rows;
  size_t count;
  size_t base; /* offset of the module's struct in the struct of all groups */
};

/* Size of the longest message of param_set(), with its terminator. */
#define PARAM_MESSAGE 400

/* Finds a `group.name` among `groups`. If there is none, returns NULL and writes the closest full name ("group.name",
 * up to 63 characters) to `nearest`, which may be NULL, for a "did you mean". */
const struct param_row *param_find(const struct param_group *groups, size_t count, const char *key,
                                   const struct param_group **group, char nearest[64]);

/* Sets `group.name` in the struct at `all` from text. Numbers may end in K, M or G (powers of 1024). If key or value is
 * wrong, returns false and writes what is wrong and what is legal. */
bool param_set(const struct param_group *groups, size_t count, void *all, const char *key, const char *value,
               char message[PARAM_MESSAGE]);

/* Sets every parameter to its default. */
void param_defaults(const struct param_group *groups, size_t count, void *all);

/* The value of a row as text: the number, or the choice's word. */
void param_text(const struct param_group *group, const struct param_row *row, const void *all, char text[32]);

/* Writes word number `index` of the blank-separated `choices` to `word`. Returns false if there are fewer. */
bool param_choice(const char *choices, uint32_t index, char word[32]);

static inline uint32_t *param_at(const struct param_group *group, const struct param_row *row, void *all) {
  return (uint32_t *)(void *)((char *)all + group->base + row->offset);
}

static inline uint32_t param_value(const struct param_group *group, const struct param_row *row, const void *all) {
  return *(const uint32_t *)(const void *)((const char *)all + group->base + row->offset);
}

#endif
