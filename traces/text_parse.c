#include "traces/stream.h"
#include "traces/text_meta.h"
#include "traces/text_nodes.h"

/* ---- values ----------------------------------------------------------------------------------- */

static const char value_text[] = "a value; legal: numbers, and numbers*lane, *warp or *group, with + or - between them";

/* A term `N` or `N*NAME`. Returns where its number belongs. */
static uint64_t *take_term(struct slice term, struct text_value *value, uint64_t *number) {
  const char *star = memchr(term.at, '*', term.size);
  const size_t size = star ? (size_t)(star - term.at) : term.size;
  if (!size || *term.at == '-' || !slice_number((struct slice){term.at, size}, number))
    return NULL;
  if (!star)
    return &value->base;
  const struct slice name = {star + 1, term.size - size - 1};
  return slice_is(name, "lane")    ? &value->lane
         : slice_is(name, "warp")  ? &value->warp
         : slice_is(name, "group") ? &value->group
                                   : NULL;
}

static bool take_value(const struct lex *lex, const char *field, struct slice text, bool vector,
                       struct text_value *value) {
  const char *at = text.at, *end = text.at ? text.at + text.size : NULL;
  *value = (struct text_value){0};
  bool good = at < end;
  while (good && at < end) {
    const bool minus = *at == '-';
    at += minus || *at == '+';
    const char *stop = at;
    while (stop < end && *stop != '+' && *stop != '-')
      stop++;
    uint64_t number = 0, *to = take_term((struct slice){at, (size_t)(stop - at)}, value, &number);
    good = to && (vector || to != &value->lane);
    if (good)
      *to += minus ? 0 - number : number;
    at = stop;
  }
  return good || lex_refuse(lex, field, text, "%s", value_text);
}

/* An element of a list: `V`, `V*N`, `V+S*N` or `V-S*N`. */
static bool take_element(const char *at, const char *end, struct text_op *op, unsigned vector) {
  const char *star = memchr(at, '*', (size_t)(end - at)), *sign = at + 1;
  const char *stop = star ? star : end;
  uint64_t first = 0, step = 0, times = 1;
  while (sign < stop && *sign != '+' && *sign != '-')
    sign++;
  if (!slice_number((struct slice){at, (size_t)(sign - at)}, &first) ||
      (sign < stop && (!star || !slice_number((struct slice){sign + 1, (size_t)(stop - sign - 1)}, &step))) ||
      (star && !slice_number((struct slice){star + 1, (size_t)(end - star - 1)}, &times)) || !times ||
      times > (uint64_t)(TRACE_LANES - op->listed[vector]))
    return false;
  step = sign < stop && *sign == '-' ? 0 - step : step;
  for (uint64_t i = 0; i < times; i++)
    op->list[vector][op->listed[vector]++] = first + i * step;
  return true;
}

static bool take_list(const struct lex *lex, const char *field, struct slice text, struct text_op *op,
                      unsigned vector) {
  struct lex inside = {.at = text.at, .end = text.at + text.size};
  op->vector[vector] = (struct text_value){0};
  op->listed[vector] = 0;
  while (lex_more(&inside)) {
    const struct slice word = lex_word(&inside);
    if (!word.size || !take_element(word.at, word.at + word.size, op, vector))
      return lex_refuse(
          lex, field, word,
          "an element of a list; legal: V, V*N, V+S*N, V-S*N, with blanks between them, and at most %d values",
          TRACE_LANES);
  }
  return op->listed[vector] || lex_refuse(lex, field, text, "a list of values");
}

/* ---- operations -------------------------------------------------------------------------------- */

static size_t find_row(const struct trace_field_row *rows, struct slice name) {
  size_t i = 0;
  while (rows[i].name && !slice_is(name, rows[i].name))
    i++;
  return i;
}

/* The words `step N` after a field. The first belongs to the innermost loop. */
static bool take_steps(struct lex *lex, const char *field, unsigned loops, struct text_value *value) {
  for (unsigned i = 0; lex_more(lex); i++) {
    const char *before = lex->at;
    uint64_t step = 0;
    if (!slice_is(lex_word(lex), "step")) {
      lex->at = before;
      return true;
    }
    const struct slice number = lex_more(lex) ? lex_word(lex) : (struct slice){"", 0};
    if (!lex_number(lex, "step", number, 0, UINT64_MAX, "a step", &step))
      return false;
    if (i >= loops)
      return lex_fail(lex, "field '%s': has more steps than there are loops around it (%u)", field, loops);
    value->step[i] = step;
  }
  return true;
}

static bool refuse_name(const struct lex *lex, const struct trace_kind_row *row, struct slice name) {
  char legal[200] = "next mask";
  size_t used = strlen(legal);
  for (unsigned i = 0; i < TRACE_FLAG_BITS && used < sizeof legal; i++)
    used += (size_t)snprintf(legal + used, sizeof legal - used, " %s", trace_flag_names[i]);
  for (unsigned i = 0; i < row->fields && used < sizeof legal; i++)
    used += (size_t)snprintf(legal + used, sizeof legal - used, " %s", row->field[i].name);
  for (unsigned i = 0; i < row->vectors && used < sizeof legal; i++)
    used += (size_t)snprintf(legal + used, sizeof legal - used, " %s", row->vector[i].name);
  return lex_fail(lex, "'%.*s' is not a field of kind '%s'; legal: %s", name.size < 40 ? (int)name.size : 40, name.at,
                  row->name, legal);
}

/* Fails if the field was already given. */
static bool take_once(const struct lex *lex, const char *name, bool *given) {
  if (*given)
    return lex_fail(lex, "field '%s' is given twice", name);
  return *given = true;
}

/* Takes a field or a vector of the operation's kind. */
static bool take_own(struct lex *lex, const struct item *item, unsigned loops, struct text_op *op) {
  const struct trace_kind_row *row = op->row;
  const size_t field = find_row(row->field, item->name), vector = find_row(row->vector, item->name);
  if (field < row->fields) {
    const char *name = row->field[field].name;
    return take_once(lex, name, &op->field_given[field]) &&
           take_value(lex, name, item->list ? (struct slice){"[", 1} : item->value, false, &op->field[field]) &&
           take_steps(lex, name, loops, &op->field[field]);
  }
  if (vector >= row->vectors)
    return refuse_name(lex, row, item->name);
  const char *name = row->vector[vector].name;
  return take_once(lex, name, &op->given[vector]) &&
         (item->list ? take_list(lex, name, item->value, op, (unsigned)vector)
                     : take_value(lex, name, item->value, true, &op->vector[vector])) &&
         take_steps(lex, name, loops, &op->vector[vector]);
}

static bool take_item(struct lex *lex, const struct item *item, unsigned lanes, unsigned loops, struct text_op *op) {
  uint64_t number = 0;
  if (slice_is(item->name, "next")) {
    if (!lex_number(lex, "next", item->value, 0, UINT32_MAX, "a pc", &number))
      return false;
    op->next = (uint32_t)number;
    return take_once(lex, "next", &op->next_given);
  }
  if (slice_is(item->name, "mask"))
    return take_once(lex, "mask", &op->mask_given) &&
           lex_number(lex, "mask", item->value, 0, all_lanes(lanes), "lanes that the warp has", &op->mask);
  for (unsigned bit = 0; !item->value.at && bit < TRACE_FLAG_BITS; bit++)
    if (slice_is(item->name, trace_flag_names[bit])) {
      op->flags |= 1u << bit;
      return true;
    }
  return take_own(lex, item, loops, op);
}

bool text_parse_op(struct lex *lex, struct slice pc, const uint8_t *kinds, uint32_t count, unsigned lanes,
                   unsigned loops, uint64_t *mask, struct text_op *op) {
  uint64_t number = 0;
  if (!count || !lex_number(lex, "pc", pc, 0, count - 1, "an instruction of the program", &number))
    return count ? false : lex_fail(lex, "the program has no instructions");
  *op = (struct text_op){.pc = (uint32_t)number, .mask = *mask, .row = &trace_kind_rows[kinds[number]]};
  while (lex_more(lex)) {
    struct item item;
    if (!lex_item(lex, &item) || !take_item(lex, &item, lanes, loops, op))
      return false;
  }
  *mask = op->mask;
  return true;
}

/* ---- notes, warps --------------------------------------------------------------------------------- */

static bool take_note_text(struct lex *lex, struct text_note *note) {
  struct bytes bytes = {0};
  const char *wrong = text_take_string(&lex->at, lex->end, &bytes);
  if (!wrong && memchr(bytes.at ? bytes.at : (const uint8_t *)"", 0, bytes.size))
    wrong = "a note's text, which has no zero bytes";
  if (wrong) {
    free(bytes.at);
    return lex_fail(lex, "expected %s", wrong);
  }
  bytes_add(&bytes, "", 1);
  note->text = (char *)bytes.at;
  return !lex_more(lex) || lex_fail(lex, "a note ends with its text");
}

bool text_parse_note(struct lex *lex, struct text_note *note) {
  const char *names[TRACE_NOTE_KINDS + 1] = {NULL};
  size_t kind = 0;
  memcpy(names, trace_note_names, sizeof trace_note_names);
  *note = (struct text_note){.text = NULL};
  const struct slice name = lex_more(lex) ? lex_word(lex) : (struct slice){"", 0};
  if (!lex_one_of(lex, "note", name, names, &kind))
    return false;
  note->kind = (enum trace_note_kind)kind;
  while (lex_more(lex)) {
    if (*lex->at == '"')
      return take_note_text(lex, note);
    if (note->values == TRACE_NOTE_VALUES)
      return lex_fail(lex, "a note can have at most %d values", TRACE_NOTE_VALUES);
    if (!lex_number(lex, "note", lex_word(lex), 0, UINT64_MAX, "a value of it", &note->value[note->values++]))
      return false;
  }
  return true;
}

bool text_parse_warp(struct lex *lex, uint32_t warps, struct text_warp *warp) {
  uint64_t range[2], pc = 0;
  const struct slice number = lex_more(lex) ? lex_word(lex) : (struct slice){"", 0};
  if (!warps)
    return lex_fail(lex, "the work-group has no warps");
  if (!lex_range(lex, "warp", number, warps - 1, "a warp of the work-group", range))
    return false;
  *warp = (struct text_warp){.first = (uint32_t)range[0], .last = (uint32_t)range[1]};
  while (lex_more(lex)) {
    struct item item;
    if (!lex_item(lex, &item))
      return false;
    if (!slice_is(item.name, "pc"))
      return lex_refuse(lex, "warp", item.name, "of a warp; legal: pc=N");
    if (!lex_number(lex, "pc", item.value, 0, UINT32_MAX, "a pc", &pc))
      return false;
    warp->pc_given = true;
    warp->pc = (uint32_t)pc;
  }
  return true;
}
