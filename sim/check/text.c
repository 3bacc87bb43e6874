/* The report of `warpwait check` for people: "file:line:column: error: ...", like compilers, so that editors and
 * terminals link the places. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/text.h"
#include "sim/check/report.h"

struct paint {
  const char *error, *warning, *note, *bold, *off;
};
static const struct paint plain = {"", "", "", "", ""};
static const struct paint colored = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1m", "\033[0m"};

struct view {
  const struct check_report *report;
  const struct paint *paint;
  struct text *text;
};

/* ---- source ------------------------------------------------------------------------------------- */

/* Generated source may be one line of a megabyte, so show only the part around the column. */
enum { WHOLE_LINE = 200, BEFORE_COLUMN = 100 };

struct cut {
  const char *from, *to;
  const char *before, *after; /* "..." where text is left out */
};

static const char *whole_character(const char *at) {
  while ((*at & 0xc0) == 0x80)
    at++;
  return at;
}

static struct cut cut_of(const struct check_place *place) {
  const size_t length = strlen(place->text), column = place->column < length ? place->column : length;
  const size_t from = length <= WHOLE_LINE || column <= BEFORE_COLUMN ? 0 : column - BEFORE_COLUMN;
  const size_t to = length - from <= WHOLE_LINE ? length : from + WHOLE_LINE;
  return (struct cut){whole_character(place->text + from), whole_character(place->text + to), from ? "..." : "",
                      to < length ? "..." : ""};
}

/* Source may contain any bytes; control characters must not reach the terminal. */
static void add_line(struct text *text, const struct cut *cut) {
  text_print(text, "%s", cut->before);
  for (const char *at = cut->from; at < cut->to; at++)
    text_add(text, iscntrl((unsigned char)*at) && *at != '\t' ? "?" : at, 1);
  text_print(text, "%s\n", cut->after);
}

/* Blanks up to the column: tabs stay tabs, and continuation bytes of UTF-8 have no width. */
static void add_caret(const struct view *view, const struct check_place *place, const struct cut *cut) {
  text_print(view->text, "      | %*s", (int)strlen(cut->before), "");
  for (const char *at = cut->from; at + 1 < place->text + place->column && at < cut->to; at++)
    if ((*at & 0xc0) != 0x80)
      text_print(view->text, "%c", *at == '\t' ? '\t' : ' ');
  text_print(view->text, "%s^%s\n", view->paint->note, view->paint->off);
}

static void add_source(const struct view *view, const struct check_side *side, const struct check_place *place) {
  if (!place->line) {
    char inst[200];
    isa_print(side->program, side->pc, inst, sizeof inst);
    text_print(view->text, "      | instruction %" PRIu32 ": %s\n", side->pc, inst);
  }
  if (!place->text)
    return;
  const struct cut cut = cut_of(place);
  text_print(view->text, "%5" PRIu32 " | ", place->line);
  add_line(view->text, &cut);
  if (place->column)
    add_caret(view, place, &cut);
}

/* A place without a line, such as in SPIR-V without line numbers, is only a file. An unknown column becomes 1. */
static void add_place(const struct view *view, const struct check_place *place) {
  text_print(view->text, "%s", view->paint->bold);
  text_foreign(view->text, "%s:", place->path);
  if (place->line)
    text_print(view->text, "%" PRIu32 ":%" PRIu32 ":", place->line, place->column ? place->column : 1);
  text_print(view->text, "%s ", view->paint->off);
}

/* ---- a hazard ----------------------------------------------------------------------------------- */

static void add_side(const struct view *view, const struct isa_launch *launch, const struct check_side *side) {
  uint32_t id[3];
  text_print(view->text, "work-group (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), ", side->group[0], side->group[1],
             side->group[2]);
  if (side->whole_group) {
    text_print(view->text, "all its work-items");
    return;
  }
  check_local_id(launch, side, id);
  text_print(view->text, "work-item %" PRIu32 " at (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", side->item, id[0], id[1],
             id[2]);
}

static void add_who(const struct view *view, const struct check_hazard *hazard) {
  const struct isa_launch *launch = &view->report->job->launches[hazard->launch].isa;
  char other[64];
  if (view->report->job->launch_count > 1)
    text_line(view->text, "  launch %" PRIu32 " of %zu, kernel '%s'", hazard->launch + 1,
              view->report->job->launch_count, launch->kernel->name);
  text_print(view->text, hazard->other.program ? "  here: " : "  ");
  add_side(view, launch, &hazard->here);
  if (hazard->other.program) {
    check_other_name(hazard->rule, other);
    text_print(view->text, "\n  %s: ", other);
    add_side(view, launch, &hazard->other);
  }
  text_print(view->text, "\n");
}

static void add_bytes(const struct view *view, const struct check_hazard *hazard) {
  const struct check_bytes bytes = check_bytes(view->report->job, hazard);
  struct text *text = view->text;
  if (hazard->space == CHECK_NOWHERE)
    return;
  text_print(text, "  %" PRIu32 " byte%s at ", hazard->bytes, text_s(hazard->bytes));
  if (hazard->space == CHECK_LDS && bytes.name)
    text_line(text, "byte %" PRIu64 " of local '%s'", bytes.offset, bytes.name);
  else if (hazard->space == CHECK_LDS)
    text_print(text, "byte %" PRIu64 " of the work-group's LDS\n", bytes.offset);
  else if (bytes.beyond)
    text_line(text, "address 0x%" PRIx64 ", byte %" PRIu64 " of buffer '%s', which has %" PRIu64, hazard->address,
              bytes.offset, bytes.name, bytes.beyond->bytes);
  else if (bytes.name)
    text_line(text, "byte %" PRIu64 " of buffer '%s'", bytes.offset, bytes.name);
  else
    text_print(text, "address 0x%" PRIx64 ", before every buffer\n", hazard->address);
}

/* If columns are unknown, different instructions are different places. */
static bool is_same(const struct check_hazard *hazard, const struct check_place *here,
                    const struct check_place *other) {
  return strcmp(here->path, other->path) == 0 && here->line == other->line && here->column == other->column &&
         (here->column || hazard->here.pc == hazard->other.pc);
}

static void add_other(const struct view *view, const struct check_hazard *hazard) {
  const struct check_place here = check_place(&hazard->here), place = check_place(&hazard->other);
  const bool same = is_same(hazard, &here, &place);
  char name[64];
  check_other_name(hazard->rule, name);
  add_place(view, &place);
  text_print(view->text, "%snote:%s %s%s\n", view->paint->note, view->paint->off, name,
             same ? ", at the same place" : "");
  if (!same)
    add_source(view, &hazard->other, &place);
}

static void add_hazard(const struct view *view, const struct check_hazard *hazard) {
  const struct isa_hazard_row *row = &isa_hazard_rows[hazard->rule];
  const struct check_place here = check_place(&hazard->here);
  char advice[ISA_ADVICE];
  add_place(view, &here);
  text_print(view->text, "%s%s:%s %s%s [%s]%s\n",
             row->level == ISA_HAZARD_ERROR ? view->paint->error : view->paint->warning, isa_hazard_levels[row->level],
             view->paint->off, view->paint->bold, row->text, row->rule, view->paint->off);
  add_source(view, &hazard->here, &here);
  if (hazard->other.program)
    add_other(view, hazard);
  add_who(view, hazard);
  add_bytes(view, hazard);
  if (*hazard->detail)
    text_line(view->text, "  %s", hazard->detail);
  text_print(view->text, "  %s time%s%s\n", TEXT_WHOLE(hazard->count), text_s(hazard->count),
             hazard->count == 1 ? "" : ", of which this is the first");
  check_advice(hazard, advice);
  text_print(view->text, "  advice: %s\n\n", advice);
}

/* ---- the report --------------------------------------------------------------------------------- */

static size_t count_rules(const struct check_report *report) {
  bool seen[HAZARDS] = {false};
  size_t count = 0;
  for (size_t i = 0; i < report->hazard_count; i++) {
    count += !report->suppressed[i] && !seen[report->hazards[i].rule];
    seen[report->hazards[i].rule] |= !report->suppressed[i];
  }
  return count;
}

static void add_summary(const struct view *view) {
  const struct check_report *report = view->report;
  const size_t suppressed = check_suppressed(report), found = report->hazard_count - suppressed;
  const size_t rules = count_rules(report);
  struct text *text = view->text;
  if (found > report->most)
    text_print(text, "%zu further hazard%s not shown (--max-hazards)\n\n", found - report->most,
               found - report->most == 1 ? " is" : "s are");
  if (!check_whole(report))
    text_print(text, "the run did not finish: only what ran was checked\n");
  if (found)
    text_print(text, "%zu hazard%s of %zu rule%s", found, text_s(found), rules, text_s(rules));
  else
    text_print(text, "no hazards");
  if (suppressed)
    text_print(text, ", %zu suppressed", suppressed);
  text_print(text, ": %s access%s and %s cop%s of %s launch%s checked\n", TEXT_WHOLE(report->checked.accesses),
             text_es(report->checked.accesses), TEXT_WHOLE(report->checked.copies),
             report->checked.copies == 1 ? "y" : "ies", TEXT_WHOLE(report->count), text_es(report->count));
}

char *check_text(const struct check_report *report, bool colors) {
  struct text text = {0};
  const struct view view = {report, colors ? &colored : &plain, &text};
  const struct check_hazard *first = NULL;
  bool said = false;
  size_t shown = 0;
  for (size_t i = 0; i < report->hazard_count; i++) {
    const struct check_hazard *hazard = &report->hazards[i];
    if (report->suppressed[i] || shown++ >= report->most)
      continue;
    if (first && !said && hazard->turn > first->turn) {
      text_print(&text, "the rest may follow from the above: fix that first, then check again\n\n");
      said = true;
    }
    first = first ? first : hazard;
    add_hazard(&view, hazard);
  }
  add_summary(&view);
  return text.data;
}
