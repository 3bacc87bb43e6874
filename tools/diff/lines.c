/* Matches source lines. Files match by name; if each side has one unmatched file, it was renamed. Lines of two files
 * match by their text without comments, in order, like diff(1). Between matched lines, two similar ones count as one
 * edited line. Where a side lacks its text, line numbers match. */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "tools/diff/diff.h"

#define ALIKE 0.6         /* two lines at least this similar are one edited line: assumed */
enum { EDITS = 1 << 16 }; /* maximum pairs of lines compared between two matched ones */

/* A line of one side, and the index of its file. */
struct entry {
  size_t file, place;    /* place: index among the lines of all launches */
  struct diff_line line; /* only this side's half */
};

struct entries {
  struct entry *entry;
  size_t count, room;
  const char **file;
  size_t files, file_room;
  int side;
};

bool diff_line_differs(const struct diff_line *line) {
  bool differs = !line->is[DIFF_A] || !line->is[DIFF_B];
  for (unsigned i = 0; i < DIFF_COST_COUNT; i++)
    differs |= line->cost[i][DIFF_A] != line->cost[i][DIFF_B];
  for (unsigned i = 0; i < STALLS; i++)
    differs |= line->stalls[i][DIFF_A] != line->stalls[i][DIFF_B];
  return differs;
}

/* ---- the lines of a side ----------------------------------------------------------------------------- */

static size_t file_number(struct entries *entries, const char *name) {
  for (size_t i = 0; i < entries->files; i++)
    if (strcmp(entries->file[i], name) == 0)
      return i;
  *vector_next(entries->file, entries->files, entries->file_room) = name;
  return entries->files - 1;
}

static struct entry read_line(struct entries *entries, const json_t *line) {
  const int side = entries->side;
  const json_t *stalls = json_object_get(line, "stalls");
  struct entry entry = {.file = file_number(entries, diff_word(line, "file")), .place = entries->count};
  entry.line.is[side] = true;
  entry.line.file[side] = diff_word(line, "file");
  entry.line.text[side] = diff_word(line, "text");
  entry.line.line[side] = (uint32_t)diff_whole(line, "line");
  for (unsigned i = 0; i < DIFF_COST_COUNT; i++)
    entry.line.cost[i][side] = diff_whole(line, diff_cost_rows[i].key);
  for (unsigned i = 0; i < STALLS; i++)
    entry.line.stalls[i][side] = diff_whole(stalls, stall_rows[i].name);
  return entry;
}

/* Adds one side's costs to the common line. */
static void add_side(struct diff_line *line, const struct diff_line *from, int side) {
  line->is[side] = true;
  line->file[side] = from->file[side];
  line->text[side] = from->text[side];
  line->line[side] = from->line[side];
  for (unsigned i = 0; i < DIFF_COST_COUNT; i++)
    line->cost[i][side] += from->cost[i][side];
  for (unsigned i = 0; i < STALLS; i++)
    line->stalls[i][side] += from->stalls[i][side];
}

static uint32_t number_of(const struct entry *entry) {
  return entry->line.line[entry->line.is[DIFF_A] ? DIFF_A : DIFF_B];
}

static int by_place(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  if (a->file != b->file)
    return a->file < b->file ? -1 : 1;
  return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
}

static int by_place_and_launch(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  const int order = by_place(left, right);
  return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The lines of all launches. A line of several launches appears once, with the text of the last. */
static struct entries read_side(const struct diff *diff, int side) {
  struct entries entries = {.side = side};
  size_t count, j, merged = 0;
  size_t *chosen = diff_chosen(diff, side, &count);
  for (size_t i = 0; i < count; i++) {
    const json_t *list = json_object_get(json_array_get(diff_launches(diff, side), chosen[i]), "by_line"), *line;
    json_array_foreach(list, j, line) {
      const struct entry entry = read_line(&entries, line);
      *vector_next(entries.entry, entries.count, entries.room) = entry;
    }
  }
  free(chosen);
  if (entries.count)
    qsort(entries.entry, entries.count, sizeof *entries.entry, by_place_and_launch);
  for (size_t i = 0; i < entries.count; i++)
    if (merged && by_place(&entries.entry[merged - 1], &entries.entry[i]) == 0)
      add_side(&entries.entry[merged - 1].line, &entries.entry[i].line, side);
    else
      entries.entry[merged++] = entries.entry[i];
  entries.count = merged;
  return entries;
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* For each of A's files, its match in B. */
static size_t *match_files(const struct entries *a, const struct entries *b) {
  size_t *counterpart = need(a->files + 1, sizeof *counterpart), left[DIFF_SIDES] = {DIFF_NONE, DIFF_NONE},
         unmatched[DIFF_SIDES] = {0};
  bool *taken = need(b->files + 1, sizeof *taken);
  for (size_t i = 0; i < a->files; i++) {
    counterpart[i] = DIFF_NONE;
    for (size_t j = 0; j < b->files; j++)
      if (strcmp(a->file[i], b->file[j]) == 0)
        taken[counterpart[i] = j] = true;
    if (counterpart[i] == DIFF_NONE) {
      left[DIFF_A] = i;
      unmatched[DIFF_A]++;
    }
  }
  for (size_t j = 0; j < b->files; j++)
    if (!taken[j]) {
      left[DIFF_B] = j;
      unmatched[DIFF_B]++;
    }
  if (unmatched[DIFF_A] == 1 && unmatched[DIFF_B] == 1)
    counterpart[left[DIFF_A]] = left[DIFF_B];
  free(taken);
  return counterpart;
}

/* The lines of a file: a range of entries. */
static size_t file_range(const struct entries *entries, size_t file, size_t *end) {
  size_t first = 0;
  while (first < entries->count && entries->entry[first].file != file)
    first++;
  for (*end = first; *end < entries->count && entries->entry[*end].file == file;)
    ++*end;
  return first;
}

/* ---- lines of a file ----------------------------------------------------------------------------------- */

static bool has_text(const struct entries *entries, size_t first, size_t end) {
  bool has = true;
  for (size_t i = first; i < end; i++)
    has &= !number_of(&entries->entry[i]) || entries->entry[i].line.text[entries->side];
  return has;
}

/* The length of the comment that begins here; 0: none does. */
static size_t comment_length(const char *text, bool assembly) {
  const bool line = assembly ? *text == ';' : *text == '/' && text[1] == '/';
  const bool block = !assembly && *text == '/' && text[1] == '*';
  const char *end = block ? strstr(text + 2, "*/") : NULL;
  return end ? (size_t)(end + 2 - text) : line || block ? strlen(text) : 0;
}

/* The length of the quoted text that begins here, with its quotes; 0: none does. */
static size_t quoted_length(const char *text) {
  size_t length = 1;
  if (*text != '"' && *text != '\'')
    return 0;
  while (text[length] && text[length] != *text)
    length += text[length] == '\\' && text[length + 1] ? 2 : 1;
  return length + (text[length] != '\0');
}

/* The code of a line, without blanks and comments. The caller frees it. */
static char *code_of(const char *text, const char *file) {
  const bool assembly = strcmp(file_extension(file), ".wws") == 0;
  char *code = need(strlen(text) + 1, 1);
  for (size_t length = 0; *text;) {
    const size_t comment = comment_length(text, assembly), quoted = quoted_length(text);
    const size_t taken = comment ? comment : quoted ? quoted : 1;
    if (!comment && *text != ' ' && *text != '\t') {
      memcpy(code + length, text, taken);
      length += taken;
    }
    text += taken;
  }
  return code;
}

static char *entry_code(const struct entries *entries, size_t i) {
  const struct diff_line *line = &entries->entry[i].line;
  return code_of(line->text[entries->side], line->file[entries->side]);
}

static uint64_t *line_numbers(const struct entries *entries, size_t first, size_t end, bool by_text) {
  uint64_t *number = need(end - first + 1, sizeof *number);
  for (size_t i = first; i < end; i++) {
    const bool known = by_text && entries->entry[i].line.text[entries->side];
    char *code = known ? entry_code(entries, i) : NULL;
    number[i - first] = known ? XXH3_64bits(code, strlen(code)) : number_of(&entries->entry[i]);
    free(code);
  }
  return number;
}

/* Similarity of two texts by pairs of adjacent characters: twice the common pairs over all pairs (Dice). */
static double similarity(const char *a, const char *b) {
  enum { PAIRS = 1 << 10 };
  uint16_t count[PAIRS] = {0};
  size_t both = 0, all = 0;
  for (; *a && a[1]; a++, all++)
    count[((unsigned char)a[0] * 31U + (unsigned char)a[1]) % PAIRS]++;
  for (; *b && b[1]; b++, all++) {
    uint16_t *left = &count[((unsigned char)b[0] * 31U + (unsigned char)b[1]) % PAIRS];
    if (*left) {
      both++;
      --*left;
    }
  }
  return all ? 2 * (double)both / (double)all : 0;
}

static struct diff_line *new_line(struct diff *diff) {
  struct diff_line *line = vector_next(diff->lines, diff->line_count, diff->line_room);
  *line = (struct diff_line){0};
  return line;
}

static void add_alone(struct diff *diff, const struct entries *entries, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    add_side(new_line(diff), &entries->entry[i].line, entries->side);
}

static void add_both(struct diff *diff, const struct entries *a, size_t at_a, const struct entries *b, size_t at_b,
                     bool edited) {
  struct diff_line *line = new_line(diff);
  add_side(line, &a->entry[at_a].line, DIFF_A);
  add_side(line, &b->entry[at_b].line, DIFF_B);
  line->edited = edited;
}

/* The index of the line in b's range that is most similar to a's; b_end: none is similar. */
static size_t most_alike(const struct entries *a, size_t at, const struct entries *b, size_t b_at, size_t b_end) {
  double most = ALIKE;
  size_t best = b_end;
  char *code = entry_code(a, at);
  for (size_t j = b_at; j < b_end; j++) {
    char *other = entry_code(b, j);
    const double like = similarity(code, other);
    if (like >= most && (best == b_end || like > most)) {
      most = like;
      best = j;
    }
    free(other);
  }
  free(code);
  return best;
}

/* Adds the lines between two matched ones: edited lines, then the rest. */
static void add_between(struct diff *diff, const struct entries *a, size_t a_at, size_t a_end, const struct entries *b,
                        size_t b_at, size_t b_end, bool by_text) {
  const bool look = by_text && (a_end - a_at) * (b_end - b_at) <= EDITS;
  for (size_t i = a_at; look && i < a_end; i++) {
    const bool known = a->entry[i].line.text[DIFF_A];
    size_t first = b_at;
    while (first < b_end && !b->entry[first].line.text[DIFF_B])
      first++;
    const size_t best = known ? most_alike(a, i, b, first, b_end) : b_end;
    if (best == b_end)
      continue;
    add_alone(diff, a, a_at, i);
    add_alone(diff, b, b_at, best);
    add_both(diff, a, i, b, best, true);
    a_at = i + 1;
    b_at = best + 1;
  }
  add_alone(diff, a, a_at, a_end);
  add_alone(diff, b, b_at, b_end);
}

/* Matches the lines of two files. */
static void add_files(struct diff *diff, const struct entries *a, size_t a_file, const struct entries *b,
                      size_t b_file) {
  size_t a_end, b_end, a_at = file_range(a, a_file, &a_end), b_at = file_range(b, b_file, &b_end);
  const size_t a_first = a_at, b_first = b_at;
  const bool by_text = has_text(a, a_at, a_end) && has_text(b, b_at, b_end);
  uint64_t *of_a = line_numbers(a, a_at, a_end, by_text), *of_b = line_numbers(b, b_at, b_end, by_text);
  size_t *counterpart = need(a_end - a_at + 1, sizeof *counterpart);
  diff_match(of_a, a_end - a_at, of_b, b_end - b_at, counterpart);
  for (size_t i = 0; i < a_end - a_first; i++) {
    if (counterpart[i] == DIFF_NONE)
      continue;
    add_between(diff, a, a_at, a_first + i, b, b_at, b_first + counterpart[i], by_text);
    add_both(diff, a, a_first + i, b, b_first + counterpart[i], false);
    a_at = a_first + i + 1;
    b_at = b_first + counterpart[i] + 1;
  }
  add_between(diff, a, a_at, a_end, b, b_at, b_end, by_text);
  free(of_a);
  free(of_b);
  free(counterpart);
}

void diff_take_lines(struct diff *diff) {
  struct entries a = read_side(diff, DIFF_A), b = read_side(diff, DIFF_B);
  size_t *counterpart = match_files(&a, &b), first, end;
  bool *taken = need(b.files + 1, sizeof *taken);
  for (size_t i = 0; i < a.files; i++) {
    first = file_range(&a, i, &end);
    if (counterpart[i] == DIFF_NONE) {
      add_alone(diff, &a, first, end);
    } else {
      add_files(diff, &a, i, &b, counterpart[i]);
      taken[counterpart[i]] = true;
    }
  }
  for (size_t j = 0; j < b.files; j++) {
    first = file_range(&b, j, &end);
    if (!taken[j])
      add_alone(diff, &b, first, end);
  }
  free(taken);
  free(counterpart);
  free(a.entry);
  free(a.file);
  free(b.entry);
  free(b.file);
}

/* ---- hazards ------------------------------------------------------------------------------------------- */

/* The common line at a place on one side; NULL: it has no cost. */
static const struct diff_line *line_at(const struct diff *diff, int side, const char *file, uint32_t line) {
  for (size_t i = 0; i < diff->line_count; i++)
    if (diff->lines[i].is[side] && diff->lines[i].line[side] == line && strcmp(diff->lines[i].file[side], file) == 0)
      return &diff->lines[i];
  return NULL;
}

static void add_hazard(struct diff *diff, int side, const json_t *hazard) {
  struct diff_hazard new = {.rule = diff_word(hazard, "rule"), .message = diff_word(hazard, "message")};
  const char *file = diff_word(hazard, "file");
  const uint32_t number = (uint32_t)diff_whole(hazard, "line");
  const struct diff_line *line = line_at(diff, side, file, number);
  for (int i = 0; i < DIFF_SIDES; i++) {
    new.file[i] = line ? line->file[i] : file;
    new.line[i] = line ? line->line[i] : number;
  }
  size_t at = 0;
  for (; at < diff->hazard_count; at++) {
    const struct diff_hazard *old = &diff->hazards[at];
    if (strcmp(old->rule, new.rule) == 0 && old->line[side] == number && old->file[side] &&
        strcmp(old->file[side], file) == 0)
      break;
  }
  if (at == diff->hazard_count) {
    *vector_next(diff->hazards, diff->hazard_count, diff->hazard_room) = new;
  }
  diff->hazards[at].count[side] += diff_whole(hazard, "count");
}

void diff_take_hazards(struct diff *diff) {
  for (int side = 0; side < DIFF_SIDES; side++) {
    size_t count, j;
    size_t *chosen = diff_chosen(diff, side, &count);
    for (size_t i = 0; i < count; i++) {
      const json_t *list = json_object_get(json_array_get(diff_launches(diff, side), chosen[i]), "hazards"), *hazard;
      json_array_foreach(list, j, hazard) { add_hazard(diff, side, hazard); }
    }
    free(chosen);
  }
}
