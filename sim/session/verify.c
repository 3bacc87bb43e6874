#include "sim/session/verify.h"
#include "sim/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/result.h"
#include "sim/base/need.h"
#include "sim/launch/job_images.h"

/* Reports the first difference, at `byte`: "element 7 (byte 28): got 1, expected 2". */
static bool differ(struct verdict *verdict, struct type type, const uint8_t *got, const uint8_t *expected,
                   uint64_t byte) {
  char a[40], b[40];
  type_print(type, got + byte, a);
  type_print(type, expected + byte, b);
  unsigned size = type_size(type);
  uint64_t element = byte / size, component = byte % size / type.bytes;
  char place[64] = "";
  if (type.components > 1)
    snprintf(place, sizeof place, " component %" PRIu64, component);
  snprintf(verdict->text, sizeof verdict->text, "element %" PRIu64 "%s (byte %" PRIu64 "): got %s, expected %s",
           element, place, byte, a, b);
  return false;
}

static bool same_bytes(struct verdict *verdict, struct type type, const uint8_t *got, const uint8_t *expected,
                       uint64_t bytes) {
  if (memcmp(got, expected, (size_t)bytes) == 0)
    return true;
  uint64_t byte = 0;
  while (got[byte] == expected[byte])
    byte++;
  /* The last element may be cut short. */
  byte -= byte % type.bytes;
  if (byte + type.bytes <= bytes)
    return differ(verdict, type, got, expected, byte);
  return differ(verdict, (struct type){TYPE_UNSIGNED, 1, 1}, got, expected, byte);
}

static bool near(const struct job_check *check, const uint8_t *got, const uint8_t *expected) {
  double a = type_number(check->type, got), b = type_number(check->type, expected), distance = fabs(a - b);
  if (memcmp(got, expected, check->type.bytes) == 0)
    return true;
  if (!isfinite(a) || !isfinite(b))
    return isnan(a) && isnan(b);
  if ((check->by_abs && distance <= check->abs) || (check->by_rel && distance <= check->rel * fabs(b)))
    return true;
  if (!check->by_ulp)
    return false;
  int64_t low = type_ordinal(check->type, got), high = type_ordinal(check->type, expected);
  return (low < high ? (uint64_t)high - (uint64_t)low : (uint64_t)low - (uint64_t)high) <= check->ulp;
}

static bool within_tolerance(struct verdict *verdict, const struct job_check *check, const uint8_t *got,
                             uint64_t bytes) {
  unsigned size = type_size(check->type), used = check->type.components * check->type.bytes;
  for (uint64_t byte = 0; byte + check->type.bytes <= bytes; byte += check->type.bytes)
    if (byte % size < used && !near(check, got + byte, check->expected + byte))
      return differ(verdict, check->type, got, check->expected, byte);
  return true;
}

static bool named_components(struct verdict *verdict, const struct job_check *check, const uint8_t *got,
                             uint64_t bytes) {
  unsigned size = type_size(check->type), width = check->type.bytes;
  for (uint64_t byte = 0; byte + width <= bytes; byte += width)
    if (check->components >> (byte % size / width) & 1 && memcmp(got + byte, check->expected + byte, width) != 0)
      return differ(verdict, check->type, got, check->expected, byte);
  return true;
}

struct packet {
  const uint8_t *at;
  size_t bytes;
};

static int by_bytes(const void *left, const void *right) {
  const struct packet *a = left, *b = right;
  return memcmp(a->at, b->at, a->bytes);
}

/* `count` packets of `bytes` bytes each, sorted. */
static struct packet *sort_packets(const uint8_t *at, size_t count, size_t bytes) {
  struct packet *packet = need(count + 1, sizeof *packet);
  for (size_t i = 0; i < count; i++)
    packet[i] = (struct packet){at + i * bytes, bytes};
  qsort(packet, count, sizeof *packet, by_bytes);
  return packet;
}

static void hexadecimal(char *text, size_t size, const uint8_t *bytes, size_t count) {
  size_t used = 0;
  for (size_t i = 0; i < count && i < 16; i++)
    used += (size_t)snprintf(text + used, size - used, "%02x", bytes[i]);
  if (count > 16)
    snprintf(text + used, size - used, "...");
}

static bool same_packets(struct verdict *verdict, const struct job_check *check, const uint8_t *got, size_t bytes) {
  size_t packet = (size_t)check->packet, count = bytes / packet;
  struct packet *a = sort_packets(got, count, packet), *b = sort_packets(check->expected, count, packet);
  size_t i = 0;
  while (i < count && by_bytes(&a[i], &b[i]) == 0)
    i++;
  if (i < count) {
    char x[40], y[40];
    hexadecimal(x, sizeof x, a[i].at, packet);
    hexadecimal(y, sizeof y, b[i].at, packet);
    bool surplus = by_bytes(&a[i], &b[i]) < 0;
    snprintf(verdict->text, sizeof verdict->text, "in sorted order, packet %zu: got %s, expected %s: %s", i, x, y,
             surplus ? "there are too many of the former" : "the latter is missing");
  }
  free(a);
  free(b);
  return i == count;
}

static bool compare(struct verdict *verdict, const struct job *job, const struct job_check *check, const uint8_t *got,
                    uint64_t bytes) {
  switch (check->mode) {
  case CHECK_EXACT:
    return same_bytes(verdict, job->elements[check->buffer], got, check->expected, bytes);
  case CHECK_TOLERANCE:
    return within_tolerance(verdict, check, got, bytes);
  case CHECK_MULTISET:
    return same_packets(verdict, check, got, (size_t)bytes);
  case CHECK_ELEMENTS:
    return named_components(verdict, check, got, bytes);
  }
  return false;
}

/* Compares what is left in a pipe, starting with the number of packets. */
static bool compare_pipe(struct verdict *verdict, const struct job *job, const struct job_check *check,
                         const struct isa_pipe *pipe) {
  uint64_t bytes = 0;
  const uint32_t size = pipe->packet_size;
  uint8_t *packets = job_packets(pipe, &bytes);
  bool same = bytes == check->expected_bytes;
  if (same)
    same = compare(verdict, job, check, packets, bytes);
  else
    snprintf(verdict->text, sizeof verdict->text, "got %" PRIu64 " packet%s, expected %" PRIu64, bytes / size,
             text_s(bytes / size), check->expected_bytes / size);
  free(packets);
  return same;
}

static bool compare_image(struct verdict *verdict, const struct job *job, const struct job_check *check) {
  uint64_t bytes = 0;
  uint8_t *packed = job_image_bytes(job, check->image, &bytes);
  const bool same = compare(verdict, job, check, packed, bytes);
  free(packed);
  return same;
}

static void run_check(const struct job *job, const struct job_check *check, struct verdict *verdict) {
  static const char *const modes[] = {"exact", "tolerance", "multiset", "elements"};
  const struct isa_buffer *buffer = &job->memory.buffers[check->buffer];
  *verdict = (struct verdict){.what = buffer->name, .mode = modes[check->mode]};
  const struct isa_pipe *pipe = job_pipe_of(job, check->buffer);
  verdict->passed = pipe           ? compare_pipe(verdict, job, check, pipe)
                    : check->image ? compare_image(verdict, job, check)
                                   : compare(verdict, job, check, buffer->data, buffer->bytes);
}

/* Does the rule match, where "X1" also matches "X1-stride-zero"? */
static bool rule_is(const char *rule, const char *wanted) {
  size_t length = strlen(wanted);
  return strncmp(rule, wanted, length) == 0 && (!rule[length] || rule[length] == '-');
}

static bool reported(const struct launch_result *result, const char *wanted) {
  for (size_t i = 0; i < result->hazard_count; i++)
    if (rule_is(isa_hazard_rows[result->hazards[i].first.rule].rule, wanted))
      return true;
  return false;
}

static void check_diagnostics(const struct job *job, const struct launch_result *results, size_t count,
                              struct verdict *verdict) {
  *verdict = (struct verdict){.what = "expect_diagnostic", .mode = "hazards"};
  for (size_t i = 0; i < job->diagnostic_count; i++)
    for (size_t launch = 0; launch < count; launch++)
      verdict->passed |= reported(&results[launch], job->diagnostics[i]);
  if (verdict->passed)
    return;
  size_t used = (size_t)snprintf(verdict->text, sizeof verdict->text, "no hazard was reported of rule");
  for (size_t i = 0; i < job->diagnostic_count && used < sizeof verdict->text; i++)
    used +=
        (size_t)snprintf(verdict->text + used, sizeof verdict->text - used, "%s %s", i ? "," : "", job->diagnostics[i]);
}

struct verdict *verify_job(const struct job *job, const struct launch_result *results, size_t result_count,
                           size_t *count) {
  *count = job->check_count + (job->diagnostic_count > 0);
  struct verdict *verdicts = need(*count, sizeof *verdicts);
  for (size_t i = 0; i < job->check_count; i++)
    run_check(job, &job->checks[i], &verdicts[i]);
  if (job->diagnostic_count)
    check_diagnostics(job, results, result_count, &verdicts[job->check_count]);
  return verdicts;
}
