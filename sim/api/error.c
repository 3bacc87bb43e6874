#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "models/machine_groups.h"
#include "sim/api/api.h"

uint32_t ww_version(void) { return WW_VERSION; }

const char *ww_status_name(ww_status status) {
  static const char *const names[] = {"fine", "bad input", "out of memory", "cancelled", "unsupported", "defect"};
  return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

/* ---- the place that a message begins with ----------------------------------------------------------------- */

/* Length in bytes of the UTF-8 character at `at`, or 0 if it is invalid or a control character. */
static size_t character(const unsigned char *at, size_t length) {
  const size_t size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
  if (size > length || (size < 2 && (*at < ' ' || *at > '~')))
    return 0;
  for (size_t i = 1; i < size; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  const bool surrogate = *at == 0xed && at[1] > 0x9f, control = *at == 0xc2 && at[1] < 0xa0;
  const bool overlong = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
  return surrogate || control || overlong || (*at == 0xf4 && at[1] > 0x8f) ? 0 : size;
}

/* Copies as one line of UTF-8, cut between characters; other bytes become '?'. */
static void copy(char *to, size_t room, const char *from, size_t length) {
  const unsigned char *at = (const unsigned char *)from;
  size_t used = 0;
  for (size_t i = 0, size = 0; i < length && at[i]; i += size ? size : 1) {
    size = character(at + i, length - i);
    if (used + (size ? size : 1) >= room)
      break;
    memcpy(to + used, size ? from + i : "?", size ? size : 1);
    used += size ? size : 1;
  }
  to[used] = '\0';
}

/* Reads ":12"; returns what follows the number. */
static const char *number_at(const char *at, uint32_t *number) {
  const char *digit = at + 1;
  uint64_t value = 0;
  if (*at != ':' || !isdigit((unsigned char)*digit))
    return NULL;
  for (; isdigit((unsigned char)*digit) && value <= UINT32_MAX; digit++)
    value = 10 * value + (uint64_t)(*digit - '0');
  *number = value <= UINT32_MAX ? (uint32_t)value : 0;
  return digit;
}

/* Reads a place. A file's name ends at the colon: "kernel.cl:3:5: ...", "machine.ini:7: ...". Only a `known` name may
 * lack the line: "kernel.cl: ...". Returns what follows the place; NULL: there is no place. */
static const char *place_at(ww_error *error, const char *text, const char *colon, bool known) {
  uint32_t line = 0, column = 0;
  const char *behind = number_at(colon, &line), *more = behind ? number_at(behind, &column) : NULL;
  behind = more ? more : behind ? behind : known ? colon : NULL;
  if (!behind || *behind != ':')
    return NULL;
  copy(error->file, sizeof error->file, text, (size_t)(colon - text));
  error->line = line;
  error->column = more ? column : 0;
  return behind + 1 + strspn(behind + 1, " ");
}

/* Finds the place that the message begins with, which may be in the input called `name` (or NULL). NULL: there is
 * none. */
static const char *find_file(ww_error *error, const char *text, const char *name) {
  const size_t length = name ? strlen(name) : 0;
  if (length && strncmp(text, name, length) == 0 && text[length] == ':')
    return place_at(error, text, text + length, true);
  for (const char *colon = strchr(text, ':'); colon && colon[1] != ' '; colon = strchr(colon + 1, ':')) {
    const char *behind = place_at(error, text, colon, false);
    if (behind)
      return behind;
  }
  return NULL;
}

/* "dma.channels: ...", "launches[0].args[2].int: ...", and in a file any word: "program: ...". */
static void find_key(ww_error *error, const char *text, bool in_file) {
  char key[sizeof error->key];
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_.[]", text[length])))
    length++;
  if (!length || text[length] != ':')
    return;
  copy(key, sizeof key, text, length);
  if (in_file || strchr(key, '[') || param_find(machine_groups, MACHINE_GROUPS, key, NULL, NULL))
    memcpy(error->key, key, sizeof key);
}

static ww_status fail(ww_error *error, ww_status status, const char *text, const char *name) {
  if (!error)
    return status;
  *error = (ww_error){.status = status};
  copy(error->text, sizeof error->text, text, strlen(text));
  const char *behind = find_file(error, text, name);
  find_key(error, behind ? behind : text, behind);
  return status;
}

ww_status api_fail(ww_error *error, ww_status status, const char *format, ...) {
  struct message message;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message.text, sizeof message.text, format, arguments);
  va_end(arguments);
  return fail(error, status, message.text, NULL);
}

ww_status api_missing(ww_error *error, const char *argument) {
  return api_fail(error, WW_BAD_INPUT, "%.60s: is NULL", argument);
}

/* ---- behind the recovery point --------------------------------------------------------------------------------------
 */

struct attempt {
  api_work *work;
  void *self;
  ww_status status;
  struct message message;
};

static void attempt(void *self) {
  struct attempt *attempt = self;
  attempt->status = attempt->work(attempt->self, &attempt->message);
  if (attempt->status == WW_DEFECT)
    heap_out(HEAP_DEFECT);
  /* If memory ran out, every other failure is its consequence. */
  if (attempt->status == WW_NO_MEMORY || (attempt->status != WW_OK && heap_refused()))
    heap_out(heap_refused());
}

static ww_status run(struct heap_pool *pool, const char *name, api_work *work, void *self, ww_error *error) {
  struct attempt made = {.work = work, .self = self, .message = {""}};
  size_t wanted = 0;
  const bool good = heap_try(pool, attempt, &made, &wanted);
  if (!good && wanted == HEAP_DEFECT)
    return api_fail(error, WW_DEFECT, "%s", made.status == WW_DEFECT ? made.message.text : heap_defect_text());
  if (!good)
    return api_fail(error, WW_NO_MEMORY, "out of memory: %zu more bytes are not available", wanted);
  if (made.status != WW_OK)
    return fail(error, made.status, made.message.text, name);
  if (error)
    *error = (ww_error){.status = WW_OK};
  return WW_OK;
}

ww_status api_try(struct heap_pool *pool, api_work *work, void *self, ww_error *error) {
  return run(pool, NULL, work, self, error);
}

ww_status api_try_named(const char *name, api_work *work, void *self, ww_error *error) {
  for (const char *at = name; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 0x7f)
      return api_fail(error, WW_BAD_INPUT, "name: has a control character");
  return run(NULL, name, work, self, error);
}

/* ---- structures from callers -------------------------------------------------------------------------------- */

ww_status api_take(void *to, size_t least, size_t known, const void *from, const char *name, ww_error *error) {
  uint32_t size = 0;
  const unsigned char *bytes = from;
  memcpy(&size, from, sizeof size);
  if (size < least)
    return api_fail(error, WW_BAD_INPUT, "%.40s.size: %u is less than the %zu bytes of version 0.1; set it to sizeof",
                    name, size, least);
  for (size_t i = known; i < size; i++)
    if (bytes[i])
      return api_fail(error, WW_UNSUPPORTED,
                      "%.40s: sets fields beyond the %zu bytes that this version of the library knows", name, known);
  memcpy(to, from, size < known ? size : known);
  return WW_OK;
}

static bool write_on(void *self, const char *data, size_t size, struct message *message) {
  struct api_sink *sink = self;
  struct recovery *recovery = heap_suspend();
  const bool good = !size || sink->to.write(sink->to.self, data, size);
  heap_resume(recovery);
  if (good)
    return true;
  sink->ended = true;
  return message_fail(message, "the sink refused more data");
}

void api_sink(struct api_sink *sink, ww_sink to) { *sink = (struct api_sink){.sink = {write_on, sink}, .to = to}; }
