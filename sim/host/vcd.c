#include "sim/host/vcd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum { NAME = 8, PICOSECONDS = 1000000 /* per cycle at 1 MHz */ };

struct vcd {
  FILE *stream;
  size_t count;
  uint64_t *value, *shown;  /* current, and as written last */
  uint64_t *mask;           /* the bits of each wave */
  size_t *touched, touches; /* waves set in the current cycle */
  bool *is_touched;
  cycle_t now;
  uint64_t clock_mhz;
};

/* ---- the header ---------------------------------------------------------------------------------- */

/* "aaaaa", "aaaab", ...: five letters are enough for any machine. */
static const char *short_name(size_t wave, char name[NAME]) {
  name[5] = '\0';
  for (int i = 5; i-- > 0; wave /= 26)
    name[i] = (char)('a' + wave % 26);
  return name;
}

struct row {
  const struct wave *wave;
  size_t number;
};

/* Compares names. A dot sorts before everything else, so that a scope's contents are adjacent. */
static int compare_names(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++)
    continue;
  const int left = *a == '.' ? 1 : (unsigned char)*a, right = *b == '.' ? 1 : (unsigned char)*b;
  return (left > right) - (left < right);
}

static int by_name(const void *one, const void *other) {
  const struct row *a = one, *b = other;
  const int order = compare_names(a->wave->name, b->wave->name);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The length of the scopes that two names share, dots included. */
static size_t common_scopes(const char *a, const char *b) {
  size_t common = 0;
  for (size_t i = 0; a[i] && a[i] == b[i]; i++)
    if (a[i] == '.')
      common = i + 1;
  return common;
}

static size_t dots(const char *text) {
  size_t count = 0;
  while ((text = strchr(text, '.'))) {
    text++;
    count++;
  }
  return count;
}

/* Moves from the scope of one name to that of the next. */
static const char *change_scope(FILE *stream, const char *from, const char *to) {
  const size_t common = common_scopes(from, to);
  for (size_t i = dots(from + common); i-- > 0;)
    fputs("$upscope $end\n", stream);
  const char *at = to + common;
  for (const char *dot; (dot = strchr(at, '.')); at = dot + 1)
    fprintf(stream, "$scope module %.*s $end\n", (int)(dot - at), at);
  return at;
}

static void write_names(const struct vcd *vcd, const struct row *row) {
  const char *before = "";
  for (size_t i = 0; i < vcd->count; before = row[i++].wave->name) {
    const unsigned bits = row[i].wave->bits;
    const char *last = change_scope(vcd->stream, before, row[i].wave->name);
    char name[NAME];
    fprintf(vcd->stream, "$var wire %u %s %s", bits, short_name(row[i].number, name), last);
    fprintf(vcd->stream, bits > 1 ? " [%u:0] $end\n" : " $end\n", bits - 1);
  }
  change_scope(vcd->stream, before, "");
}

static void write_value(const struct vcd *vcd, size_t wave) {
  char digits[65], *at = digits + 64, name[NAME];
  uint64_t value = vcd->value[wave];
  *at = '\0';
  do {
    *--at = (char)('0' + (value & 1));
  } while (value >>= 1);
  fprintf(vcd->stream, "b%s %s\n", at, short_name(wave, name));
}

static void write_head(const struct vcd *vcd, const struct wave *wave, const char *comment) {
  struct row *row = need(vcd->count, sizeof *row);
  for (size_t i = 0; i < vcd->count; i++)
    row[i] = (struct row){&wave[i], i};
  qsort(row, vcd->count, sizeof *row, by_name);
  if (comment)
    fprintf(vcd->stream, "$comment\n%s\n$end\n", comment);
  fputs("$version\n Warpwait\n$end\n$timescale\n 1 ps\n$end\n$scope module warpwait $end\n", vcd->stream);
  write_names(vcd, row);
  fputs("$upscope $end\n$enddefinitions $end\n$dumpvars\n", vcd->stream);
  for (size_t i = 0; i < vcd->count; i++)
    write_value(vcd, i);
  fputs("$end\n", vcd->stream);
  free(row);
}

/* ---- values -------------------------------------------------------------------------------------- */

static int by_number(const void *one, const void *other) {
  const size_t a = *(const size_t *)one, b = *(const size_t *)other;
  return (a > b) - (a < b);
}

/* Rounded to a picosecond; a cycle has at least ten. */
static void write_time(const struct vcd *vcd, cycle_t cycle) {
  fprintf(vcd->stream, "#%" PRIu64 "\n", (cycle * PICOSECONDS + vcd->clock_mhz / 2) / vcd->clock_mhz);
}

static void write_touched(struct vcd *vcd) {
  bool timed = false;
  qsort(vcd->touched, vcd->touches, sizeof *vcd->touched, by_number);
  for (size_t i = 0; i < vcd->touches; i++) {
    const size_t wave = vcd->touched[i];
    vcd->is_touched[wave] = false;
    if (vcd->value[wave] == vcd->shown[wave])
      continue;
    if (!timed)
      write_time(vcd, vcd->now);
    timed = true;
    write_value(vcd, wave);
    vcd->shown[wave] = vcd->value[wave];
  }
  vcd->touches = 0;
}

void vcd_set(struct vcd *vcd, cycle_t at, size_t wave, uint64_t value) {
  if (at > vcd->now) {
    write_touched(vcd);
    vcd->now = at;
  }
  vcd->value[wave] = value & vcd->mask[wave];
  if (!vcd->is_touched[wave])
    vcd->touched[vcd->touches++] = wave;
  vcd->is_touched[wave] = true;
}

void vcd_add(struct vcd *vcd, cycle_t at, size_t wave, uint64_t step) {
  vcd_set(vcd, at, wave, vcd->value[wave] + step);
}

/* ---- creating and freeing ------------------------------------------------------------------------ */

struct vcd *vcd_new(FILE *stream, const struct wave *wave, size_t count, uint32_t clock_mhz, const char *comment) {
  struct vcd *vcd = need(1, sizeof *vcd);
  *vcd = (struct vcd){.stream = stream,
                      .count = count,
                      .value = need(count, sizeof *vcd->value),
                      .shown = need(count, sizeof *vcd->shown),
                      .mask = need(count, sizeof *vcd->mask),
                      .touched = need(count, sizeof *vcd->touched),
                      .is_touched = need(count, sizeof *vcd->is_touched),
                      .clock_mhz = clock_mhz};
  for (size_t i = 0; i < count; i++)
    vcd->mask[i] = UINT64_MAX >> (64 - wave[i].bits);
  write_head(vcd, wave, comment);
  return vcd;
}

void vcd_free(struct vcd *vcd) {
  write_touched(vcd);
  write_time(vcd, vcd->now + 1);
  free(vcd->value);
  free(vcd->shown);
  free(vcd->mask);
  free(vcd->touched);
  free(vcd->is_touched);
  free(vcd);
}

/* ---- probes -------------------------------------------------------------------------------------- */

struct waveform {
  struct vcd *vcd;
  const uint32_t **probe;
  size_t probes;
  cycle_t now; /* the probes have the values of this cycle */
};

struct waveform *waveform_new(FILE *stream, struct island *const *islands, size_t count, uint32_t clock_mhz) {
  struct waveform *waveform = need(1, sizeof *waveform);
  for (size_t i = 0; i < count; i++)
    waveform->probes += islands[i]->probes;
  struct wave *wave = need(waveform->probes, sizeof *wave), *next = wave;
  waveform->probe = need(waveform->probes, sizeof *waveform->probe);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < islands[i]->probes; j++, next++) {
      const struct probe *probe = &islands[i]->probe[j];
      waveform->probe[next - wave] = probe->value;
      *next = (struct wave){need_print("%s.%s.%s", islands[i]->name, probe->component, probe->name), probe->bits};
    }
  waveform->vcd = vcd_new(stream, wave, waveform->probes, clock_mhz, NULL);
  while (next > wave)
    free((char *)(--next)->name);
  free(wave);
  return waveform;
}

void waveform_advance(struct waveform *waveform, cycle_t now) {
  if (now <= waveform->now)
    return;
  for (size_t i = 0; i < waveform->probes; i++)
    vcd_set(waveform->vcd, waveform->now, i, *waveform->probe[i]);
  waveform->now = now;
}

void waveform_free(struct waveform *waveform) {
  waveform_advance(waveform, waveform->now + 1);
  vcd_free(waveform->vcd);
  free(waveform->probe);
  free(waveform);
}
