#include "tools/explain/edits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tools/explain/source.h"

const char *const opencl_edit_names[OPENCL_EDIT_COUNT] = {
#define EDIT(id, text) text,
    OPENCL_EDITS(EDIT)
#undef EDIT
};

/* ---- loops of one form ---- */

/* for ([TYPE] I = FIRST; I < END; I += STEP) BODY. BODY does not change I and contains no loops, jumps or directives.
 */
struct loop {
  struct span whole, head, body;      /* `head`: from "for" to its ")" */
  struct span init, first, end, next; /* "int i = a", "a", "n", "i += s" */
  char name[64];                      /* I */
  char *step;                         /* "s", which loop_free() frees */
};

static void loop_free(struct loop *loop) {
  free(loop->step);
  loop->step = NULL;
}

/* A statement: a block, or everything up to the semicolon. */
static struct span statement(const struct source *source, size_t at) {
  const size_t from = source_blanks(source, at);
  const size_t end = source->code[from] == '{' ? source_close(source, from)
                                               : source_cut(source, (struct span){from, source->length}, ";");
  return (struct span){from, end < source->length ? end + 1 : source->length};
}

/* "TYPE I = FIRST" or "I = FIRST": I is the name before the equals sign. */
static bool read_init(const struct source *source, struct loop *loop) {
  const size_t sign = source_cut(source, loop->init, "=");
  size_t to = sign, from;
  if (sign == loop->init.to || source->code[sign + 1] == '=' || source_cut(source, loop->init, ",") < loop->init.to)
    return false;
  while (to > loop->init.from && source->code[to - 1] == ' ')
    to--;
  for (from = to; from > loop->init.from && source_of_name(source->code[from - 1]);)
    from--;
  if (from == to || to - from >= sizeof loop->name)
    return false;
  memcpy(loop->name, source->code + from, to - from);
  loop->name[to - from] = '\0';
  loop->first = source_trim(source, (struct span){sign + 1, loop->init.to});
  return true;
}

/* "I < END" */
static bool read_condition(const struct source *source, struct span condition, struct loop *loop) {
  if (!source_word_at(source, condition.from, loop->name))
    return false;
  const size_t sign = source_blanks(source, condition.from + strlen(loop->name));
  if (source->code[sign] != '<' || strchr("=<", source->code[sign + 1]))
    return false;
  loop->end = source_trim(source, (struct span){sign + 1, condition.to});
  return loop->end.from < loop->end.to && source_cut(source, loop->end, "&|?,") == loop->end.to;
}

/* "I++", "++I", "I += STEP" */
static bool read_next(const struct source *source, struct loop *loop) {
  const char *code = source->code + loop->next.from;
  const size_t length = strlen(loop->name), all = loop->next.to - loop->next.from;
  if (strncmp(code, "++", 2) == 0 && source_word_at(source, loop->next.from + 2, loop->name) && all == length + 2) {
    loop->step = need_copy("1");
    return true;
  }
  if (!source_word_at(source, loop->next.from, loop->name))
    return false;
  const size_t sign = source_blanks(source, loop->next.from + length);
  if (strncmp(source->code + sign, "++", 2) == 0 && sign + 2 == loop->next.to)
    loop->step = need_copy("1");
  else if (strncmp(source->code + sign, "+=", 2) == 0)
    loop->step = source_part(source, source_trim(source, (struct span){sign + 2, loop->next.to}));
  return loop->step;
}

/* Does the body assign the name, or take its address? */
static bool loop_changes(const struct source *source, struct span body, const char *name) {
  for (size_t at = body.from; (at = source_find(source, (struct span){at, body.to}, name)) < body.to; at++) {
    const bool before = at > 1 && (strncmp(source->code + at - 2, "++", 2) == 0 ||
                                   strncmp(source->code + at - 2, "--", 2) == 0 || source->code[at - 1] == '&');
    if (before || source_assigned(source, at + strlen(name)))
      return true;
  }
  return false;
}

static bool is_plain(const struct source *source, struct span body) {
  static const char *const words[] = {"for", "while", "do", "switch", "break", "continue", "goto", "return"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (source_has(source, body, words[i]))
      return false;
  return !memchr(source->code + body.from, DIRECTIVE, body.to - body.from);
}

/* A directive before a loop may apply to it. */
static bool has_directive(const struct source *source, size_t at) {
  while (at && strchr(" \t\n", source->code[at - 1]))
    at--;
  return at && source->code[at - 1] == DIRECTIVE;
}

static bool read_loop(const struct source *source, size_t at, struct loop *loop) {
  const size_t open = source_blanks(source, at + strlen("for"));
  if (source->code[open] != '(' || has_directive(source, at))
    return false;
  const size_t close = source_close(source, open);
  const size_t first = source_cut(source, (struct span){open + 1, close}, ";");
  const size_t second = source_cut(source, (struct span){first + 1, close}, ";");
  if (close == source->length || first >= close || second >= close)
    return false;
  loop->init = source_trim(source, (struct span){open + 1, first});
  loop->next = source_trim(source, (struct span){second + 1, close});
  loop->body = statement(source, close + 1);
  loop->head = (struct span){at, close + 1};
  loop->whole = (struct span){at, loop->body.to};
  return read_init(source, loop) &&
         read_condition(source, source_trim(source, (struct span){first + 1, second}), loop) &&
         is_plain(source, loop->body) && !loop_changes(source, loop->body, loop->name) && read_next(source, loop);
}

/* Finds the next such loop at or after *at and moves *at behind the loop's "for". */
static bool loop_next(const struct source *source, size_t *at, struct loop *loop) {
  while ((*at = source_find(source, (struct span){*at, source->length}, "for")) < source->length) {
    const size_t from = (*at)++;
    *loop = (struct loop){.step = NULL};
    if (read_loop(source, from, loop))
      return true;
    loop_free(loop);
  }
  return false;
}

/* ---- loops ------------------------------------------------------------------------------------------ */

/* { INIT; for (; I < END && END - I > (N - 1) * STEP;) { BODY I += STEP; ... } for (; I < END; NEXT) BODY } */
static void unroll(struct source *source, unsigned times) {
  struct loop loop;
  for (size_t at = 0; loop_next(source, &at, &loop); loop_free(&loop)) {
    char *init = source_part(source, loop.init), *end = source_part(source, loop.end);
    char *next = source_part(source, loop.next), *body = source_part(source, loop.body);
    char *bodies = need_copy("");
    for (unsigned i = 0; i < times; i++) {
      char *more = need_print("%s { %s } %s;", bodies, body, next);
      free(bodies);
      bodies = more;
    }
    source_change(source, loop.whole,
                  need_print("{ %s; for (; %s < %s && (%s) - %s > %u * (%s);) {%s } for (; %s < %s; %s) %s }", init,
                             loop.name, end, end, loop.name, times - 1, loop.step, bodies, loop.name, end, next, body));
    free(init);
    free(end);
    free(next);
    free(body);
    free(bodies);
  }
}

/* ---- local arrays ----------------------------------------------------------------------------------- */

/* Counts a declarator's brackets, 0 if it is no array; finds where the last one starts and ends. */
static unsigned read_sizes(const struct source *source, size_t name_end, size_t *last, size_t *end) {
  unsigned sizes = 0;
  for (size_t at = source_blanks(source, name_end); source->code[at] == '['; at = source_blanks(source, *end)) {
    if (source_close(source, at) == source->length)
      return 0;
    *last = at;
    *end = source_close(source, at) + 1;
    sizes++;
  }
  return sizes;
}

static void change_array(struct source *source, struct span declarator, enum opencl_edit edit) {
  const size_t open = source_cut(source, declarator, "[");
  size_t last = 0, end = 0;
  /* source_cut() skips nested brackets, so the first bracket it finds is the declarator's own. */
  if (open == declarator.to)
    return;
  const unsigned sizes = read_sizes(source, open, &last, &end);
  if (edit == OPENCL_EDIT_PAD && sizes > 1) {
    char *size = source_part(source, (struct span){last + 1, end - 1});
    source_change(source, (struct span){last + 1, end - 1}, need_print("(%s) + 1", size));
    free(size);
  }
  if (edit == OPENCL_EDIT_ALIGN && sizes)
    source_change(source, (struct span){end, end}, need_copy(" __attribute__((aligned(16)))"));
}

/* "local TYPE a[8][8], b[8];" but not pointers or parameters. */
static void change_arrays(struct source *source, const char *word, enum opencl_edit edit) {
  const struct span all = {0, source->length};
  for (size_t at = 0; (at = source_find(source, (struct span){at, all.to}, word)) < all.to; at++) {
    const size_t end = source_cut(source, (struct span){at, all.to}, ";)=({");
    if (source->code[end] != ';' || source_cut(source, (struct span){at, end}, "*") < end)
      continue;
    for (size_t from = at; from < end;) {
      const size_t to = source_cut(source, (struct span){from, end}, ",");
      change_array(source, (struct span){from, to}, edit);
      from = to + 1;
    }
  }
}

/* ---- copies ----------------------------------------------------------------------------------------- */

/* The arguments of a call whose parenthesis opens at `open`. */
static size_t read_arguments(const struct source *source, size_t open, struct span *argument, size_t most) {
  const size_t close = source_close(source, open);
  size_t count = 0;
  for (size_t from = open + 1; from <= close && count < most; count++) {
    const size_t to = source_cut(source, (struct span){from, close}, ",");
    argument[count] = source_trim(source, (struct span){from, to});
    from = to + 1;
  }
  return count;
}

static const char plain[] = "async_work_group_copy", strided[] = "async_work_group_strided_copy";
enum { COPY_ARGUMENTS = 5 };

/* for (I = FIRST; I < END; I++) EVENT = async_work_group_copy(TO, FROM, N, WITH): copies one line per iteration and
 * becomes one copy of END - FIRST lines. The distance between lines is the difference of TO and of FROM in the first
 * two iterations. */
static void join_copies(struct source *source) {
  struct loop loop;
  for (size_t at = 0; loop_next(source, &at, &loop); loop_free(&loop)) {
    struct span body = loop.body, argument[COPY_ARGUMENTS];
    if (source->code[body.from] == '{')
      body = source_trim(source, (struct span){body.from + 1, body.to - 1});
    const size_t call = source_find(source, body, plain), sign = source_cut(source, body, "=");
    if (call == body.to || sign > call)
      continue;
    const size_t open = source_blanks(source, call + sizeof plain - 1), close = source_close(source, open);
    if (close >= body.to || source_blanks(source, close + 1) != body.to - 1 || source->code[body.to - 1] != ';' ||
        strcmp(loop.step, "1") != 0 || read_arguments(source, open, argument, COPY_ARGUMENTS) != 4 ||
        source_has(source, argument[2], loop.name))
      continue;
    char *event = source_part(source, source_trim(source, (struct span){body.from, sign}));
    char *first = source_part(source, loop.first), *end = source_part(source, loop.end);
    char *second = need_print("(%s) + 1", first);
    char *to = source_with(source, argument[0], loop.name, first);
    char *to_next = source_with(source, argument[0], loop.name, second);
    char *from = source_with(source, argument[1], loop.name, first);
    char *from_next = source_with(source, argument[1], loop.name, second);
    char *words = source_part(source, argument[2]), *with = source_part(source, argument[3]);
    if (!source_has(source, (struct span){body.from, sign}, loop.name))
      source_change(source, loop.whole,
                    need_print("%s = async_work_group_copy_2D2D(%s, 0, %s, 0, sizeof(*(%s)), %s, (%s) - (%s), (%s) - "
                               "(%s), (%s) - (%s), %s);",
                               event, to, from, from, words, end, first, from_next, from, to_next, to, with));
    char *made[] = {event, first, end, second, to, to_next, from, from_next, words, with};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
      free(made[i]);
  }
}

/* A strided copy to the LDS becomes a 2D copy of lines of one element. */
static void widen_strided(struct source *source) {
  const struct span all = {0, source->length};
  for (size_t at = 0; (at = source_find(source, (struct span){at, all.to}, strided)) < all.to; at++) {
    struct span argument[COPY_ARGUMENTS + 1];
    const size_t open = source_blanks(source, at + sizeof strided - 1), close = source_close(source, open);
    if (source->code[open] != '(' || close == source->length ||
        read_arguments(source, open, argument, COPY_ARGUMENTS + 1) != COPY_ARGUMENTS)
      continue;
    char *part[COPY_ARGUMENTS];
    for (size_t i = 0; i < COPY_ARGUMENTS; i++)
      part[i] = source_part(source, argument[i]);
    source_change(source, (struct span){at, close + 1},
                  need_print("async_work_group_copy_2D2D(%s, 0, %s, 0, sizeof(*(%s)), 1, %s, %s, 1, %s)", part[0],
                             part[1], part[1], part[2], part[3], part[4]));
    for (size_t i = 0; i < COPY_ARGUMENTS; i++)
      free(part[i]);
  }
}

/* ---- prefetches ------------------------------------------------------------------------------------- */

/* Where the function begins that contains `at`: after the last declaration that ends before. */
static size_t function_of(const struct source *source, size_t at) {
  size_t begin = 0;
  for (size_t i = 0; i < at; i++) {
    const bool body = source->code[i] == '{';
    if (strchr("([{", source->code[i]))
      i = source_close(source, i);
    if (i < at && (body || source->code[i] == ';'))
      begin = i + 1;
  }
  return begin;
}

/* Calls take() with the name of each pointer "global TYPE *NAME" that the loop's function declares before the loop's
 * body. In "global TYPE *local *NAME", the name points to local memory. */
static void each_global(struct source *source, struct loop *loop,
                        void (*take)(struct source *source, const struct loop *loop, const char *name, char **text),
                        char **text) {
  static const char *const words[] = {"global", "__global"};
  const struct span before = {function_of(source, loop->whole.from), loop->body.from};
  for (size_t w = 0; w < 2; w++)
    for (size_t at = before.from; (at = source_find(source, (struct span){at, before.to}, words[w])) < before.to;
         at++) {
      const size_t end = source_cut(source, (struct span){at, before.to}, ",);=");
      const char *star = memchr(source->code + at, '*', end - at);
      size_t from = end;
      while (from > at && strchr(" \n\t", source->code[from - 1]))
        from--;
      const size_t to = from;
      while (from > at && source_of_name(source->code[from - 1]))
        from--;
      if (!star || memchr(star + 1, '*', (size_t)(source->code + end - star) - 1) || from == to)
        continue;
      char *name = source_part(source, (struct span){from, to});
      take(source, loop, name, text);
      free(name);
    }
}

/* Does the body declare one of the span's names? It is assigned there, and the function does not mention it before. */
static bool declares_any(const struct source *source, const struct loop *loop, struct span span) {
  const struct span before = {function_of(source, loop->whole.from), loop->body.from};
  for (struct span name = {span.from, span.from}; name.from < span.to; name.from = name.to + 1) {
    name = source_name(source, name.from);
    char *word = source_part(source, name);
    const bool declares = *word && !source_has(source, before, word) && loop_changes(source, loop->body, word);
    free(word);
    if (declares)
      return true;
  }
  return false;
}

/* Adds a prefetch for the next iteration of each NAME[...I...] that the body loads. The function is overloaded for
 * built-in types alone, so the pointer becomes one to bytes. */
static void add_prefetches(struct source *source, const struct loop *loop, const char *name, char **text) {
  const struct span body = loop->body;
  for (size_t at = body.from; (at = source_find(source, (struct span){at, body.to}, name)) < body.to; at++) {
    const size_t open = source_blanks(source, at + strlen(name));
    const size_t close = source->code[open] == '[' ? source_close(source, open) : source->length;
    if (close >= body.to)
      continue;
    const struct span index = {open + 1, close};
    const bool member = at > body.from && strchr(".>", source->code[at - 1]);
    if (member || source_assigned(source, close + 1) || !source_has(source, index, loop->name) ||
        declares_any(source, loop, index))
      continue;
    char *next = need_print("%s + (%s)", loop->name, loop->step);
    char *where = source_with(source, index, loop->name, next);
    char *one = need_print("prefetch((const global uchar *)&%s[%s], sizeof(*%s));", name, where, name);
    if (!strstr(*text, one)) {
      char *more = need_print("%s %s", *text, one);
      free(*text);
      *text = more;
    }
    free(one);
    free(where);
    free(next);
  }
}

static void prefetch(struct source *source) {
  struct loop loop;
  for (size_t at = 0; loop_next(source, &at, &loop); loop_free(&loop)) {
    char *text = need_copy("");
    each_global(source, &loop, add_prefetches, &text);
    if (*text) {
      source_change(source, (struct span){loop.body.from, loop.body.from}, need_print("{%s ", text));
      source_change(source, (struct span){loop.body.to, loop.body.to}, need_copy(" }"));
    }
    free(text);
  }
}

/* ---- vectors ---------------------------------------------------------------------------------------- */

static void widen(struct source *source, const char *type) {
  const struct span all = {0, source->length};
  for (size_t at = 0; (at = source_find(source, (struct span){at, all.to}, type)) < all.to; at++)
    source_change(source, (struct span){at, at + strlen(type)}, need_print("%s4", type));
}

/* ---- entry point ------------------------------------------------------------------------------------ */

char *opencl_edit(const char *text, enum opencl_edit edit) {
  struct source source = source_read(text);
  switch (edit) {
  case OPENCL_EDIT_UNROLL_2:
  case OPENCL_EDIT_UNROLL_4:
  case OPENCL_EDIT_UNROLL_8:
    unroll(&source, 2u << (edit - OPENCL_EDIT_UNROLL_2));
    break;
  case OPENCL_EDIT_PAD:
  case OPENCL_EDIT_ALIGN:
    change_arrays(&source, "local", edit);
    change_arrays(&source, "__local", edit);
    break;
  case OPENCL_EDIT_COPY_2D:
    join_copies(&source);
    widen_strided(&source);
    break;
  case OPENCL_EDIT_PREFETCH:
    prefetch(&source);
    break;
  case OPENCL_EDIT_FLOAT4:
    widen(&source, "float");
    break;
  case OPENCL_EDIT_INT4:
    widen(&source, "int");
    break;
  default:
    widen(&source, "uint");
    break;
  }
  return source_finish(&source);
}

/* ---- defines ---------------------------------------------------------------------------------------- */

enum { MOST_VALUE = 64 };

/* "# define NAME 2" at `line`: where the number is; NULL: another line. */
static const char *read_define(const char *line, struct opencl_define *define) {
  const char *at = line + strspn(line, " \t");
  if (*at != '#')
    return NULL;
  at += 1 + strspn(at + 1, " \t");
  if (strncmp(at, "define", 6) != 0 || !strchr(" \t", at[6]))
    return NULL;
  at += 6 + strspn(at + 6, " \t");
  size_t length = 0;
  while (source_of_name(at[length]))
    length++;
  const char *number = at + length + strspn(at + length, " \t");
  if (!length || length >= sizeof define->name || number == at + length || !isdigit((unsigned char)*number))
    return NULL;
  char *end = NULL;
  snprintf(define->name, sizeof define->name, "%.*s", (int)length, at);
  define->value = strtoul(number, &end, 10);
  return define->value <= MOST_VALUE && !source_of_name(*end) && *end != '.' ? number : NULL;
}

bool opencl_define_next(const char **at, struct opencl_define *define) {
  while (**at) {
    const char *line = *at;
    *at += strcspn(line, "\n");
    *at += **at != '\0';
    if (read_define(line, define))
      return true;
  }
  return false;
}

char *opencl_define_set(const char *text, const char *name, unsigned long value) {
  struct source source = source_read(text);
  struct opencl_define define;
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != '\0') {
    const char *number = read_define(line, &define);
    if (!number || strcmp(define.name, name) != 0)
      continue;
    const size_t from = (size_t)(number - text);
    source_change(&source, (struct span){from, from + strspn(number, "0123456789")}, need_print("%lu", value));
  }
  return source_finish(&source);
}
