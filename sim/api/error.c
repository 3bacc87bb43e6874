#include <ctype.h>
#include <stdio.h>

#include "sim/api/api.h"
#include "sim/base/version.h"

uint32_t ww_version(void) { return WW_VERSION; }

const char *ww_status_name(ww_status status) {
  static const char *const names[] = {"fine", "bad input", "out of memory", "cancelled", "unsupported", "defect"};
  return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

/* ---- the place that a line begins with -------------------------------------------------------------------- */

static void copy(char *to, size_t size, const char *from, size_t length) {
  snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

/* ":12" there: the number, and what is behind it. */
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

/* "kernel.cl:3:5: ..." and "machine.ini:7: ...": returns what is behind the place. */
static const char *find_file(ww_error *error, const char *text) {
  for (const char *colon = text; (colon = strchr(colon, ':')); colon++) {
    uint32_t line = 0, column = 0;
    const char *behind = number_at(colon, &line), *more = behind ? number_at(behind, &column) : NULL;
    behind = more ? more : behind;
    if (!behind || *behind != ':')
      continue;
    copy(error->file, sizeof error->file, text, (size_t)(colon - text));
    error->line = line;
    error->column = more ? column : 0;
    return behind + 1 + strspn(behind + 1, " ");
  }
  return text;
}

/* "dma.channels: ..." and "launches[0].args[2].int: ...": a word of a key, with a dot or a bracket in it. */
static void find_key(ww_error *error, const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_.[]", text[length])))
    length++;
  if (length && text[length] == ':' && (memchr(text, '.', length) || memchr(text, '[', length)))
    copy(error->key, sizeof error->key, text, length);
}

ww_status api_fail(ww_error *error, ww_status status, const char *text) {
  if (!error)
    return status;
  *error = (ww_error){.status = status};
  copy(error->text, sizeof error->text, text, strlen(text));
  find_key(error, find_file(error, text));
  return status;
}

ww_status api_missing(ww_error *error, const char *argument) {
  char text[100];
  snprintf(text, sizeof text, "%.60s: is NULL", argument);
  return api_fail(error, WW_BAD_INPUT, text);
}

/* ---- behind the border -------------------------------------------------------------------------------------- */

struct attempt {
  api_work *work;
  void *self;
  ww_status status;
  struct message message;
};

static void attempt(void *self) {
  struct attempt *attempt = self;
  attempt->status = attempt->work(attempt->self, &attempt->message);
  /* Whatever is wrong is so because memory ran out, if it did. */
  if (attempt->status == WW_NO_MEMORY || (attempt->status != WW_OK && heap_refused()))
    heap_out(heap_refused());
}

ww_status api_try(struct heap_pool *pool, api_work *work, void *self, ww_error *error) {
  struct attempt made = {.work = work, .self = self, .message = {""}};
  char text[80];
  size_t wanted = 0;
  if (!heap_try(pool, attempt, &made, &wanted)) {
    snprintf(text, sizeof text, "out of memory: %zu bytes more are not to be had", wanted);
    return api_fail(error, WW_NO_MEMORY, text);
  }
  if (made.status != WW_OK)
    return api_fail(error, made.status, made.message.text);
  if (error)
    *error = (ww_error){.status = WW_OK};
  return WW_OK;
}

/* ---- what comes from callers -------------------------------------------------------------------------------- */

void api_take(void *to, size_t size, const void *from) {
  uint32_t known = 0;
  memcpy(&known, from, sizeof known);
  memcpy(to, from, known < size ? known : size);
}

static bool write_on(void *self, const char *data, size_t size, struct message *message) {
  struct api_sink *sink = self;
  struct border *border = heap_suspend();
  const bool good = !size || sink->to.write(sink->to.self, data, size);
  heap_resume(border);
  if (good)
    return true;
  sink->ended = true;
  return message_fail(message, "the sink takes no more");
}

void api_sink(struct api_sink *sink, ww_sink to) { *sink = (struct api_sink){.sink = {write_on, sink}, .to = to}; }
