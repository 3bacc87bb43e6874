/* Reads lines into a writer. Statements of one line are here, those with a block in text_blocks.c; operations of
 * work-groups become nodes. */
#include "traces/text_reader.h"
#include "traces/writer.h"

#include <errno.h>
#include <inttypes.h>

#include "sim/base/sizes.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"

/* ---- lines ------------------------------------------------------------------------------------- */

bool text_next_line(struct text_reader *reader, bool *good) {
  int c;
  reader->line.size = 0;
  reader->lex.line++;
  while ((c = getc_unlocked(reader->from)) != EOF && c != '\n') {
    if (!c || reader->line.size == TEXT_LINE_BYTES)
      return *good = lex_fail(&reader->lex, c ? "the line is longer than %d bytes" : "a zero byte, which no text has",
                              TEXT_LINE_BYTES);
    bytes_add(&reader->line, &(char){(char)c}, 1);
  }
  if (ferror(reader->from))
    return *good = lex_fail(&reader->lex, "%s", text_errno(errno));
  bytes_reserve(&reader->line, 1);
  reader->lex.at = (const char *)reader->line.at;
  reader->lex.end = reader->lex.at + reader->line.size;
  return c != EOF || reader->line.size;
}

bool text_expect_end(struct text_reader *reader) {
  if (!lex_more(&reader->lex))
    return true;
  const struct slice word = lex_word(&reader->lex);
  return lex_fail(&reader->lex, "'%.*s' is too much on this line", word.size < 40 ? (int)word.size : 40, word.at);
}

/* ---- launches ---------------------------------------------------------------------------------- */

/* A number of a statement. */
struct number_row {
  const char *name;
  uint64_t minimum, maximum;
  const char *what;
  uint64_t *to;
  bool given;
};

/* Takes NAME=N, where NAME is one of the rows. */
static bool take_number(struct text_reader *reader, const char *statement, const struct item *item,
                        struct number_row *rows, size_t count) {
  char legal[150] = "";
  for (size_t i = 0; i < count; i++) {
    if (!slice_is(item->name, rows[i].name))
      continue;
    if (rows[i].given)
      return lex_fail(&reader->lex, "field '%s' is given twice", rows[i].name);
    rows[i].given = true;
    return lex_number(&reader->lex, rows[i].name, item->list ? (struct slice){"[", 1} : item->value, rows[i].minimum,
                      rows[i].maximum, rows[i].what, rows[i].to);
  }
  for (size_t i = 0, used = 0; i < count && used < sizeof legal; i++)
    used += (size_t)snprintf(legal + used, sizeof legal - used, "%s%s", i ? " " : "", rows[i].name);
  return lex_fail(&reader->lex, "'%.*s' is not a field of '%s'; legal: %s",
                  item->name.size < 40 ? (int)item->name.size : 40, item->name.at, statement, legal);
}

static bool take_launch(struct text_reader *reader) {
  const uint32_t programs = writer_programs(reader->writer);
  uint64_t program = programs - 1u, lanes = 32, groups = 1, warps = 1;
  if (!programs)
    return lex_fail(&reader->lex, "a launch needs a program before it");
  struct number_row rows[] = {
      {"program", 0, programs - 1, "a program before this line", &program, false},
      {"lanes", 1, TRACE_LANES, "lanes of a warp", &lanes, false},
      {"groups", 0, UINT32_MAX, "a number of work-groups", &groups, false},
      {"warps", 0, TRACE_WARPS, "a number of warps", &warps, false},
  };
  while (lex_more(&reader->lex)) {
    struct item item;
    if (!lex_item(&reader->lex, &item) || !take_number(reader, "launch", &item, rows, sizeof rows / sizeof *rows))
      return false;
  }
  trace_write_launch(reader->writer,
                     &(struct trace_launch){(uint32_t)program, (uint32_t)lanes, (uint32_t)groups, (uint32_t)warps});
  return true;
}

/* ---- iterations --------------------------------------------------------------------------------------- */

/* How often a line inside all open loops and ranges is executed. */
static uint64_t all_turns(const struct text_reader *reader) {
  uint64_t turns = (uint64_t)reader->group.last - reader->group.first + 1;
  bool fits = true;
  if (reader->warps != NO_NODE)
    fits = size_times(
        turns, (uint64_t)reader->nodes[reader->warps].warp.last - reader->nodes[reader->warps].warp.first + 1, &turns);
  for (unsigned i = 0; i < reader->loop_count && fits; i++)
    fits = size_times(turns, reader->nodes[reader->loops[i]].turns, &turns);
  return fits ? turns : UINT64_MAX;
}

static bool check_turns(const struct text_reader *reader) {
  return all_turns(reader) <= TEXT_TURNS ||
         lex_fail(&reader->lex, "more than %d iterations, counting the loops and ranges around this one", TEXT_TURNS);
}

/* ---- nodes that are kept --------------------------------------------------------------------------- */

static struct text_node *add_node(struct text_reader *reader, enum text_node_type type) {
  if (reader->node_count == TEXT_KEPT_LINES) {
    lex_fail(&reader->lex, "more than %d lines in a loop, or for a range of warps or work-groups", TEXT_KEPT_LINES);
    return NULL;
  }
  struct text_node *node = vector_next(reader->nodes, reader->node_count, reader->node_room);
  node->type = type;
  node->line = reader->lex.line;
  node->end = reader->node_count;
  node->note.text = NULL;
  return node;
}

static void forget_nodes(struct text_reader *reader) {
  for (uint32_t i = 0; i < reader->node_count; i++)
    if (reader->nodes[i].type == TEXT_NOTE)
      free(reader->nodes[i].note.text);
  reader->node_count = 0;
}

/* Executes the nodes that need not be kept. */
static bool flush_nodes(struct text_reader *reader) {
  if (reader->group.first != reader->group.last || reader->warps != NO_NODE || reader->loop_count)
    return true;
  const bool good = text_run_nodes(reader->run, reader->nodes, 0, reader->node_count);
  forget_nodes(reader);
  return good && trace_writer_good(reader->writer);
}

static bool end_warp(struct text_reader *reader) {
  if (reader->loop_count) {
    reader->lex.line = reader->nodes[reader->loops[reader->loop_count - 1]].line;
    return lex_fail(&reader->lex, "the loop that begins here does not end; legal: a line with only '}'");
  }
  if (reader->warps == NO_NODE)
    return true;
  reader->nodes[reader->warps].end = reader->node_count;
  reader->warps = NO_NODE;
  return flush_nodes(reader);
}

static bool end_group(struct text_reader *reader) {
  const struct text_group *group = &reader->group;
  if (!reader->in_group)
    return true;
  if (!end_warp(reader))
    return false;
  reader->in_group = reader->in_warp = false;
  if (group->first == group->last) {
    text_run_end(reader->run);
    return true;
  }
  bool good = true;
  for (uint64_t number = group->first; good && number <= group->last; number++) {
    good = text_run_begin(reader->run, group, (uint32_t)number, reader->group_line) &&
           text_run_nodes(reader->run, reader->nodes, 0, reader->node_count);
    if (good)
      text_run_end(reader->run);
  }
  forget_nodes(reader);
  return good;
}

/* ---- work-groups ------------------------------------------------------------------------------------- */

/* The numbers of a `group` line. */
enum { LAUNCH, WARPS, CU, FROM, TO, HEAD_FIELDS };
struct head {
  uint64_t value[HEAD_FIELDS];
  bool given[HEAD_FIELDS], more;
};

static bool take_head(struct text_reader *reader, struct head *head) {
  struct number_row rows[HEAD_FIELDS] = {
      [LAUNCH] = {"launch", 0, writer_launches(reader->writer) - 1u, "a launch before this line", &head->value[LAUNCH],
                  false},
      [WARPS] = {"warps", 0, TRACE_WARPS, "a number of warps", &head->value[WARPS], false},
      [CU] = {"cu", 0, UINT32_MAX, "a compute unit", &head->value[CU], false},
      [FROM] = {"from", 0, NEVER - 1, "a cycle", &head->value[FROM], false},
      [TO] = {"to", 0, NEVER - 1, "a cycle", &head->value[TO], false},
  };
  while (lex_more(&reader->lex)) {
    struct item item;
    if (!lex_item(&reader->lex, &item))
      return false;
    if (slice_is(item.name, "more") && !item.value.at)
      head->more = true;
    else if (!take_number(reader, "group", &item, rows, HEAD_FIELDS))
      return false;
  }
  for (unsigned i = 0; i < HEAD_FIELDS; i++)
    head->given[i] = rows[i].given;
  return true;
}

/* The range of work-groups: from the word, or else the next work-group. */
static bool find_groups(struct text_reader *reader, struct slice word, uint32_t launch, uint64_t range[2]) {
  const uint32_t groups = writer_launch(reader->writer, launch)->groups;
  range[0] = range[1] = launch == reader->launch ? reader->next_group : 0;
  if (!groups)
    return lex_fail(&reader->lex, "the launch has no work-groups");
  if (word.at)
    return lex_range(&reader->lex, "group", word, groups - 1, "a work-group of the launch", range);
  return range[0] < groups || lex_fail(&reader->lex, "the launch has no more work-groups than %" PRIu32, groups);
}

/* Fills in what the line leaves out: as in the group's previous batch, or as the launch says. */
static bool settle_head(struct text_reader *reader, struct slice word, const struct head *head,
                        struct text_group *group) {
  const uint32_t launch = head->given[LAUNCH] ? (uint32_t)head->value[LAUNCH] : reader->launch;
  const uint32_t most = writer_launch(reader->writer, launch)->warps;
  uint64_t range[2];
  if (!find_groups(reader, word, launch, range))
    return false;
  const struct text_resident *resident = text_run_resident(reader->run, launch, (uint32_t)range[0]);
  const uint64_t warps = head->given[WARPS] ? head->value[WARPS] : resident ? resident->warps : most;
  const cycle_t from = head->given[FROM] ? head->value[FROM] : resident ? resident->to : 0;
  if (warps > most)
    return lex_fail(&reader->lex,
                    "field 'warps': '%" PRIu64 "' is not a number of warps of the launch; legal: 0 to %" PRIu32 "",
                    warps, most);
  *group = (struct text_group){.launch = launch,
                               .first = (uint32_t)range[0],
                               .last = (uint32_t)range[1],
                               .warps = (uint32_t)warps,
                               .cu = head->given[CU] || !resident ? (uint32_t)head->value[CU] : resident->cu,
                               .from = head->value[FROM],
                               .from_given = head->given[FROM],
                               .to = head->given[TO]     ? head->value[TO]
                                     : from > reader->to ? from
                                                         : reader->to,
                               .more = head->more};
  return true;
}

static bool take_group(struct text_reader *reader) {
  struct text_group *group = &reader->group;
  struct slice number = {NULL, 0};
  struct head head = {.more = false};
  if (!writer_launches(reader->writer))
    return lex_fail(&reader->lex, "a work-group needs a launch before it");
  if (lex_more(&reader->lex) && *reader->lex.at >= '0' && *reader->lex.at <= '9')
    number = lex_word(&reader->lex);
  if (!take_head(reader, &head) || !settle_head(reader, number, &head, group))
    return false;
  reader->launch = group->launch;
  reader->next_group = group->more ? group->first : group->last + 1;
  reader->to = group->to;
  reader->group_line = reader->lex.line;
  reader->in_group = true;
  return check_turns(reader) &&
         (group->first != group->last || text_run_begin(reader->run, group, group->first, reader->lex.line));
}

static bool take_warp(struct text_reader *reader) {
  const uint32_t launch = reader->group.launch;
  if (!reader->in_group)
    return lex_fail(&reader->lex, "a warp needs a work-group before it");
  struct text_node *node = add_node(reader, TEXT_WARP);
  if (!node || !text_parse_warp(&reader->lex, reader->group.warps, &node->warp))
    return false;
  reader->in_warp = true;
  reader->mask = UINT64_MAX >> (64 - writer_launch(reader->writer, launch)->lanes);
  if (node->warp.first != node->warp.last)
    reader->warps = reader->node_count - 1;
  return check_turns(reader) && flush_nodes(reader);
}

static bool take_op(struct text_reader *reader, struct slice pc) {
  uint32_t count;
  if (!reader->in_warp)
    return lex_fail(&reader->lex, "an operation needs a warp before it");
  const struct trace_launch *launch = writer_launch(reader->writer, reader->group.launch);
  const uint8_t *kinds = writer_kinds(reader->writer, launch->program, &count);
  struct text_node *node = add_node(reader, TEXT_OP);
  return node &&
         text_parse_op(&reader->lex, pc, kinds, count, launch->lanes, reader->loop_count, &reader->mask, &node->op) &&
         flush_nodes(reader);
}

static bool take_note(struct text_reader *reader) {
  if (!reader->in_warp)
    return lex_fail(&reader->lex, "a note needs an operation before it");
  struct text_node *node = add_node(reader, TEXT_NOTE);
  return node && text_parse_note(&reader->lex, &node->note) && flush_nodes(reader);
}

/* ---- loops -------------------------------------------------------------------------------------------- */

static bool take_repeat(struct text_reader *reader) {
  struct lex *lex = &reader->lex;
  uint64_t turns = 0;
  if (!reader->in_warp)
    return lex_fail(lex, "a loop needs a warp before it");
  if (reader->loop_count == TEXT_LOOPS)
    return lex_fail(lex, "more than %d nested loops", TEXT_LOOPS);
  const struct slice number = lex_more(lex) ? lex_word(lex) : (struct slice){"", 0};
  if (!lex_number(lex, "repeat", number, 1, TEXT_TURNS, "a number of iterations", &turns) || !text_expect_brace(reader))
    return false;
  struct text_node *node = add_node(reader, TEXT_REPEAT);
  if (!node)
    return false;
  node->turns = turns;
  reader->loops[reader->loop_count++] = reader->node_count - 1;
  return check_turns(reader);
}

static bool take_end(struct text_reader *reader) {
  if (!reader->loop_count)
    return lex_fail(&reader->lex, "'}' without a loop");
  reader->nodes[reader->loops[--reader->loop_count]].end = reader->node_count;
  return text_expect_end(reader) && flush_nodes(reader);
}

/* ---- statements --------------------------------------------------------------------------------------- */

/* Statements. Those that are not `inside` end a work-group. */
static const struct {
  const char *name;
  bool (*take)(struct text_reader *reader);
  bool inside; /* a work-group */
} statements[] = {{"meta", text_take_meta_line, false},
                  {"program", text_take_program, false},
                  {"launch", take_launch, false},
                  {"group", take_group, false},
                  {"warp", take_warp, true},
                  {"note", take_note, true},
                  {"repeat", take_repeat, true},
                  {"}", take_end, true}};

/* Takes a statement outside work-groups. The groups that follow belong to the latest launch. */
static bool take_outer(struct text_reader *reader, size_t number, size_t hooked) {
  enum { STATEMENTS = sizeof statements / sizeof *statements };
  const uint32_t launches = writer_launches(reader->writer);
  if (!end_group(reader) ||
      !(number < STATEMENTS ? statements[number].take(reader) : text_take_hooked(reader, reader->hooks->heads[hooked])))
    return false;
  if (writer_launches(reader->writer) != launches) {
    reader->launch = launches;
    reader->next_group = 0;
  }
  return trace_writer_good(reader->writer);
}

static bool take_statement(struct text_reader *reader) {
  enum { STATEMENTS = sizeof statements / sizeof *statements };
  const char *words[STATEMENTS + 8] = {NULL};
  const struct slice word = lex_word(&reader->lex);
  size_t count = 0, number;
  if (*word.at >= '0' && *word.at <= '9')
    return take_op(reader, word);
  for (; count < STATEMENTS; count++)
    words[count] = statements[count].name;
  for (const char *const *head = reader->hooks->heads; head && *head; head++)
    words[count++] = *head;
  if (!lex_one_of(&reader->lex, "line", word, words, &number))
    return false;
  if (number >= STATEMENTS || !statements[number].inside)
    return take_outer(reader, number, number - STATEMENTS);
  if (number < STATEMENTS && strcmp(words[number], "warp") == 0 && !end_warp(reader))
    return false;
  return statements[number].take(reader);
}

static bool take_version(struct text_reader *reader) {
  bool good = true;
  uint64_t version = 0;
  if (!text_next_line(reader, &good))
    return good ? lex_fail(&reader->lex, "the file is empty; legal: 'wwtt %d' first", TEXT_VERSION) : false;
  struct lex *lex = &reader->lex;
  if (!lex_more(lex) || !slice_is(lex_word(lex), "wwtt"))
    return lex_fail(lex, "is not the text of a trace; legal: 'wwtt %d' first", TEXT_VERSION);
  const struct slice number = lex_more(lex) ? lex_word(lex) : (struct slice){"", 0};
  return lex_number(lex, "wwtt", number, TEXT_VERSION, TEXT_VERSION, "a version", &version) && text_expect_end(reader);
}

static bool read_all(struct text_reader *reader) {
  bool good = take_version(reader);
  while (good && text_next_line(reader, &good))
    good = !lex_more(&reader->lex) || take_statement(reader);
  return good && end_group(reader);
}

bool trace_text_read(FILE *from, const char *path, struct trace_writer *writer, const struct text_hooks *hooks,
                     struct message *error) {
  struct text_reader reader = {.from = from,
                               .lex = {.path = path, .error = error},
                               .writer = writer,
                               .hooks = hooks,
                               .warps = NO_NODE,
                               .run = text_run_new(writer, path, error)};
  *error = (struct message){""};
  const bool good = read_all(&reader);
  text_run_free(reader.run);
  forget_nodes(&reader);
  free(reader.nodes);
  free(reader.line.at);
  free(reader.block.at);
  return good;
}
