#include "tools/explain/loops.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

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

bool loop_changes(const struct source *source, struct span body, const char *name) {
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
static bool is_spoken_of(const struct source *source, size_t at) {
  while (at && strchr(" \t\n", source->code[at - 1]))
    at--;
  return at && source->code[at - 1] == DIRECTIVE;
}

static bool read_loop(const struct source *source, size_t at, struct loop *loop) {
  const size_t open = source_blanks(source, at + strlen("for"));
  if (source->code[open] != '(' || is_spoken_of(source, at))
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

bool loop_next(const struct source *source, size_t *at, struct loop *loop) {
  while ((*at = source_find(source, (struct span){*at, source->length}, "for")) < source->length) {
    const size_t from = (*at)++;
    *loop = (struct loop){.step = NULL};
    if (read_loop(source, from, loop))
      return true;
    loop_free(loop);
  }
  return false;
}

void loop_free(struct loop *loop) {
  free(loop->step);
  loop->step = NULL;
}
