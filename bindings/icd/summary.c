/* What has been run, for whoever asks at the end: WARPWAIT_SUMMARY names a file, which gets a row for each kernel. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bindings/icd/icd.h"

struct ran {
  char *kernel;
  const ww_machine *machine;
  uint64_t launches, hazards;
  double ns, longest_ns;
  ww_report *longest; /* a reference */
  struct ran *next;
};

static struct ran *first, **last = &first;
static pid_t owner; /* a process that this one forks says nothing */

static struct ran *row_of(const char *kernel, const ww_machine *machine) {
  for (struct ran *at = first; at; at = at->next)
    if (at->machine == machine && strcmp(at->kernel, kernel) == 0)
      return at;
  struct ran *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  made->kernel = strdup(kernel);
  made->machine = machine;
  if (!made->kernel) {
    free(made);
    return NULL;
  }
  *last = made;
  last = &made->next;
  return made;
}

void icd_note_run(const ww_kernel *kernel, const ww_machine *machine, ww_report *report, double ns, uint64_t hazards) {
  struct ran *row = getenv("WARPWAIT_SUMMARY") ? row_of(kernel->name, machine) : NULL;
  if (!row)
    return;
  owner = owner ? owner : getpid();
  row->launches++;
  row->hazards += hazards;
  row->ns += ns;
  if (row->longest && ns <= row->longest_ns)
    return;
  ww_report_unref(row->longest);
  row->longest = ww_report_ref(report);
  row->longest_ns = ns;
}

static bool keep(void *self, const void *data, size_t size) {
  json_t **text = self;
  json_t *piece = json_stringn_nocheck(data, size);
  json_t *all = *text && piece ? json_sprintf("%s%s", json_string_value(*text), json_string_value(piece)) : NULL;
  json_t *made = *text ? all : json_incref(piece);
  json_decref(piece);
  json_decref(*text);
  *text = made;
  return made;
}

static json_t *row_json(const struct ran *row) {
  const char *bound = "";
  json_t *report = NULL;
  ww_report_text(row->longest, "launches[0].bottleneck.sentence", &bound);
  ww_report_write(row->longest, WW_TEXT, (ww_sink){keep, &report}, NULL);
  return json_pack("{s:s, s:s, s:I, s:I, s:f, s:s, s:o}", "kernel", row->kernel, "machine",
                   ww_machine_name(row->machine), "launches", (json_int_t)row->launches, "hazards",
                   (json_int_t)row->hazards, "ns", row->ns, "bound", bound, "report",
                   report ? report : json_string(""));
}

/* When the program ends, or the driver is unloaded; the file is there whole, or not at all. */
__attribute__((destructor)) static void write_summary(void) {
  const char *path = getenv("WARPWAIT_SUMMARY");
  char unfinished[4096];
  json_t *rows = path && first && owner == getpid() ? json_array() : NULL;
  if (!rows)
    return;
  for (const struct ran *row = first; row; row = row->next)
    json_array_append_new(rows, row_json(row));
  snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
  if (json_dump_file(rows, unfinished, JSON_INDENT(1)) == 0)
    rename(unfinished, path);
  json_decref(rows);
}
