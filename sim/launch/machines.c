#include "sim/launch/machines.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"

#define USUAL "teaching" /* the machine of those who name none */

/* One machine file being read; `depth` counts bases. */
struct reading {
  const char *file;
  struct machine *machine;
  struct message *message;
  struct reads *reads;
  const char *rest; /* unread text */
  int line;         /* number of the line read last */
  bool keyed;       /* a key was seen: `base` would come too late */
  bool indented;    /* that line begins with a blank: for inih, it continues the key above */
  bool failed;      /* *message says why, at `line` */
  unsigned depth;
  uint64_t set[MACHINE_GROUPS][4]; /* a bit per row that this file has set */
};

static bool load(const char *name, const char *from, struct reads *reads, struct machine *machine,
                 struct message *message, unsigned depth);

const struct preset *preset_find(const char *name) {
  for (size_t i = 0; i < preset_count; i++)
    if (strcmp(presets[i].name, name) == 0)
      return &presets[i];
  return NULL;
}

static bool section_known(const char *section) {
  for (size_t i = 0; i < MACHINE_GROUPS; i++)
    if (strcmp(machine_groups[i].name, section) == 0)
      return true;
  return false;
}

static bool fail_section(struct message *message, const char *section) {
  const char *names[MACHINE_GROUPS];
  char hint[200];
  for (size_t i = 0; i < MACHINE_GROUPS; i++)
    names[i] = machine_groups[i].name;
  message_suggest(hint, sizeof hint, section, names, MACHINE_GROUPS);
  return message_fail(message, "no section [%.60s]%s", section, hint);
}

/* Has this file already set the row? Records that it has now. */
static bool set_twice(struct reading *reading, const struct param_group *group, const struct param_row *row) {
  size_t index = (size_t)(row - group->rows);
  uint64_t *word = &reading->set[group - machine_groups][index / 64 % 4], bit = UINT64_C(1) << index % 64;
  bool twice = *word & bit;
  *word |= bit;
  return twice;
}

static bool set_key(struct reading *reading, const char *section, const char *name, const char *value) {
  char key[160];
  const struct param_group *group = NULL;
  if (!section_known(section))
    return fail_section(reading->message, section);
  if (strcmp(name, "base") == 0)
    return message_fail(reading->message, "base: must be the first key, before all sections");
  if (strchr(name, '.'))
    return message_fail(reading->message, "%.60s: in [%.60s], a key is a parameter without '%.60s.'", name, section,
                        section);
  snprintf(key, sizeof key, "%.60s.%.60s", section, name);
  const struct param_row *row = param_find(machine_groups, MACHINE_GROUPS, key, &group, NULL);
  if (row && set_twice(reading, group, row))
    return message_fail(reading->message, "%s: is already set%s", key,
                        reading->indented ? "; a line that begins with a blank continues the key above" : "");
  return machine_put(reading->machine, key, value, reading->message);
}

static bool set_outside_sections(struct reading *reading, const char *name, const char *value) {
  if (strcmp(name, "base") != 0)
    return message_fail(reading->message, "%.60s: only 'base' can precede the first section, such as [cu] or [dma]",
                        name);
  if (reading->keyed)
    return message_fail(reading->message, "base: must be the first key, before all sections");
  return load(value, reading->file, reading->reads, reading->machine, reading->message, reading->depth + 1);
}

/* inih reads its lines here, as from fgets(). Reading ends after the first bad key. */
static char *next_line(char *line, int size, void *context) {
  struct reading *reading = context;
  size_t length = strcspn(reading->rest, "\n");
  if (!*reading->rest || reading->failed)
    return NULL;
  reading->line++;
  reading->indented = *reading->rest == ' ' || *reading->rest == '\t';
  snprintf(line, (size_t)size, "%.*s", (int)length, reading->rest);
  reading->rest += length + (reading->rest[length] == '\n');
  return line;
}

/* inih calls this for each key. */
static int on_key(void *context, const char *section, const char *name, const char *value) {
  struct reading *reading = context;
  bool good = *section ? set_key(reading, section, name, value) : set_outside_sections(reading, name, value);
  reading->keyed = true;
  reading->failed = !good;
  return good;
}

/* inih would treat the rest of a long line as another line. */
static int long_line(const char *text) {
  for (int line = 1; *text; line++) {
    size_t length = strcspn(text, "\n");
    if (length > MACHINE_LINE)
      return line;
    text += length + (text[length] == '\n');
  }
  return 0;
}

static bool parse(const char *text, const char *file, struct reads *reads, struct machine *machine,
                  struct message *message, unsigned depth) {
  struct reading reading = {
      .file = file, .machine = machine, .message = message, .reads = reads, .rest = text, .depth = depth};
  int too_long = long_line(text), line = too_long ? too_long : ini_parse_stream(next_line, &reading, on_key, &reading);
  if (!line)
    return true;
  char at[400];
  snprintf(at, sizeof at, "%.300s:%d", file, line);
  if (too_long)
    message_fail(message, "longer than %d characters", MACHINE_LINE);
  else if (!reading.failed || reading.line != line)
    message_fail(message, "not a [section], key = value or comment");
  return message_within(message, at);
}

/* Names the machine after its file: "folder/name.ini" gives "name". */
static void call_after(struct machine *machine, const char *file) {
  const char *base = file_base(file);
  snprintf(machine->name, sizeof machine->name, "%.*s", (int)(strlen(base) - strlen(file_extension(base))), base);
}

bool machine_read(const char *text, const char *file, struct machine *machine, struct message *message) {
  machine_defaults(machine);
  const bool good = parse(text, file, NULL, machine, message, 0);
  call_after(machine, file);
  return good;
}

static bool read_text(const char *path, bool given, struct reads *reads, char **text, size_t *size,
                      struct message *message) {
  if (given)
    return file_read(path, MACHINE_FILE_BYTES, text, size, message);
  if (!reads_is_named(path, ".ini"))
    return message_fail(message, "'%.200s' is not a machine file: its name must end in .ini", path);
  return reads_file(reads, path, MACHINE_FILE_BYTES, text, size, message);
}

/* `given`: named on the command line. */
static bool load_file(const char *path, bool given, struct reads *reads, struct machine *machine,
                      struct message *message, unsigned depth) {
  char *text = NULL;
  size_t size = 0;
  if (!read_text(path, given, reads, &text, &size, message))
    return false;
  char *before = given ? reads_begin(reads, path) : NULL;
  bool good = strlen(text) == size ? parse(text, path, reads, machine, message, depth)
                                   : message_fail(message, "%s: contains a zero byte; a machine file is text", path);
  if (given)
    reads_end(reads, before);
  free(text);
  return good;
}

static bool fail_unknown(const char *name, struct message *message) {
  const char *names[64];
  char hint[400];
  size_t count = preset_count < 64 ? preset_count : 64;
  for (size_t i = 0; i < count; i++)
    names[i] = presets[i].name;
  message_suggest(hint, sizeof hint, name, names, count);
  return message_fail(message, "no machine '%.60s'%s (or a file: NAME.ini)", name, hint);
}

static bool load(const char *name, const char *from, struct reads *reads, struct machine *machine,
                 struct message *message, unsigned depth) {
  if (depth > MACHINE_BASES)
    return message_fail(message, "base: more than %d machines deep; is there a loop?", MACHINE_BASES);
  const struct preset *preset = preset_find(name);
  bool good = false;
  if (preset) {
    char file[64];
    snprintf(file, sizeof file, "%s.ini", preset->name);
    machine_defaults(machine);
    good = parse(preset->text, file, NULL, machine, message, depth);
  } else if (strchr(name, '/') || *file_extension(name)) {
    char *path = from ? file_beside(from, name) : need_copy(name);
    machine_defaults(machine);
    good = load_file(path, !from, reads, machine, message, depth);
    free(path);
  } else {
    return fail_unknown(name, message);
  }
  call_after(machine, name);
  return good;
}

bool machine_load(const char *name, const char *from, struct reads *reads, struct machine *machine,
                  struct message *message) {
  return load(name ? name : USUAL, from, reads, machine, message, 0);
}

bool machine_put(struct machine *machine, const char *key, const char *value, struct message *message) {
  char text[PARAM_MESSAGE];
  return param_set(machine_groups, MACHINE_GROUPS, machine, key, value, text) || message_fail(message, "%s", text);
}

bool machine_set(struct machine *machine, const char *assignment, struct message *message) {
  char key[128];
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof key)
    return message_fail(message, "'%.60s' is not KEY=VALUE, as in dma.channels=2", assignment);
  snprintf(key, sizeof key, "%.*s", (int)(equals - assignment), assignment);
  return machine_put(machine, key, equals + 1, message);
}

bool machine_settle(const struct machine *machine, struct message *message) {
  char text[PARAM_MESSAGE];
  return machine_check(machine, text) || message_fail(message, "machine '%s': %s", machine->name, text);
}

bool machine_choose(const struct machine_request *request, const char *theirs, const char *file, struct reads *reads,
                    struct machine *machine, struct message *message) {
  if (request->made) {
    *machine = *request->made;
    return true;
  }
  if (!request->name)
    return machine_load(theirs, theirs ? file : NULL, reads, machine, message);
  return machine_load(request->name, request->from, reads, machine, message) ||
         (!request->from && message_within(message, "--machine"));
}

bool machine_adjust(const struct machine_request *request, struct machine *machine, struct message *message) {
  for (size_t i = 0; i < request->set_count; i++)
    if (!machine_set(machine, request->set[i], message))
      return message_within(message, "--set");
  return machine_settle(machine, message);
}

void preset_describe(const struct preset *preset, struct text *text) {
  const char *at = preset->text;
  text_print(text, "%-10s ", preset->name);
  for (bool ended = false; *at == ';' && !ended; at += *at == '\n') {
    at += strspn(at, "; ");
    size_t line = strcspn(at, "\n"), length = 0;
    for (; length < line && !ended; length++)
      ended = at[length] == '.' && strchr(" \n", at[length + 1]);
    text_print(text, "%.*s%s", (int)length, at, ended ? "" : " ");
    at += line;
  }
  text_print(text, "\n");
}
