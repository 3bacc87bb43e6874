#include "tests/api/rig.h"

#include <stdlib.h>

#include "tests/ct.h"

const char rig_source[] = ".kernel plus\n.arg data global\n.arg add u32\n.reg i, v\n.reg64 p\n"
                          "  ld.arg.b64 p, data\n"
                          "  get.global_id i, x\n"
                          "  mad.wide.u32 p, i, 4, p\n"
                          "  ld.global.b32 v, [p]\n"
                          "  ld.arg.b32 i, add\n"
                          "  add.i32 v, v, i\n"
                          "  st.global.b32 [p], v\n"
                          "  exit\n"
                          ".kernel copies\n.arg from global\n.arg data global\n.reg i, v, n\n.reg64 p\n.lds tile 256\n"
                          "  ld.arg.b64 p, from\n"
                          "  copy.to_lds n, [tile], [p], 64, size=4\n"
                          "  wait n\n"
                          "  get.local_id i, x\n"
                          "  shl.b32 n, i, 2\n"
                          "  ld.lds.b32 v, [n+tile]\n"
                          "  ld.arg.b64 p, data\n"
                          "  mad.wide.u32 p, i, 4, p\n"
                          "  st.global.b32 [p], v\n"
                          "  exit\n"
                          ".kernel room\n.arg data global\n.arg space local\n.reg i\n.reg64 p\n"
                          "  ld.arg.b32 i, space\n"
                          "  ld.arg.b64 p, data\n"
                          "  st.global.b32 [p], i\n"
                          "  exit\n"
                          ".kernel hang\n.reg e\n"
                          "  mov.b32 e, 7\n"
                          "  wait e\n"
                          "  exit\n"
                          ".kernel spin\n"
                          "again: bra again\n"
                          "  exit\n";

bool rig_fine(const struct rig *rig, ww_status status) {
  if (EXPECT_EQ(status, WW_OK))
    return true;
  ct_note("%s", rig->error.text);
  return EXPECT_STREQ(rig->error.text, "");
}

bool rig_refused(const struct rig *rig, ww_status status, ww_status wanted, const char *part) {
  const bool same = EXPECT_EQ(status, wanted), told = EXPECT_EQ(rig->error.status, wanted);
  return EXPECT_CONTAINS(rig->error.text, part) && same && told;
}

struct rig rig_new(const char *machine) {
  return rig_with(machine, rig_source);
}

struct rig rig_with(const char *machine, const char *source) {
  struct rig rig = {NULL, NULL, NULL, NULL, {.text = ""}};
  (void)(rig_fine(&rig, ww_context_new(NULL, &rig.context, &rig.error)) &&
         rig_fine(&rig, ww_machine_load(rig.context, machine, &rig.machine, &rig.error)) &&
         rig_fine(&rig, ww_program_build(rig.context, ww_text(source), NULL, &rig.program, &rig.error)) &&
         rig_fine(&rig, ww_device_new(rig.machine, &rig.device, &rig.error)));
  return rig;
}

void rig_free(struct rig *rig) {
  ww_device_unref(rig->device);
  ww_program_unref(rig->program);
  ww_machine_unref(rig->machine);
  ww_context_unref(rig->context);
}

ww_launch *rig_launch(struct rig *rig, const char *kernel, uint64_t global, uint64_t local) {
  const ww_kernel *found = NULL;
  ww_launch *launch = NULL;
  (void)(rig_fine(rig, ww_program_kernel(rig->program, kernel, &found, &rig->error)) &&
         rig_fine(rig, ww_launch_new(rig->device, rig->program, found, &launch, &rig->error)) &&
         rig_fine(rig, ww_launch_range(launch, 1, NULL, &global, local ? &local : NULL, &rig->error)));
  return launch;
}

ww_launch *rig_plus(struct rig *rig, ww_buffer **data, uint32_t add) {
  ww_launch *launch = rig_launch(rig, "plus", 64, 64);
  (void)(rig_fine(rig, ww_buffer_new(rig->device, "data", 256, data, &rig->error)) &&
         rig_fine(rig, ww_launch_buffer(launch, 0, *data, 0, &rig->error)) &&
         rig_fine(rig, ww_launch_value(launch, 1, &add, sizeof add, &rig->error)));
  for (uint32_t i = 0; *data && i < 64; i++)
    ((uint32_t *)ww_buffer_data(*data))[i] = i;
  return launch;
}

static bool keep(void *self, const void *data, size_t size) {
  struct kept *kept = self;
  kept->text = realloc(kept->text, kept->length + size + 1);
  memcpy(kept->text + kept->length, data, size);
  kept->length += size;
  kept->text[kept->length] = '\0';
  return true;
}

ww_sink rig_sink(struct kept *kept) { return (ww_sink){keep, kept}; }

char *rig_write(struct rig *rig, const ww_report *report, ww_form form) {
  struct kept kept = {NULL, 0};
  rig_fine(rig, ww_report_write(report, form, rig_sink(&kept), &rig->error));
  return kept.text;
}

double rig_number(const ww_report *report, const char *key) {
  double value = -1;
  if (!EXPECT_TRUE(ww_report_number(report, key, &value, NULL)))
    ct_note("no number %s", key);
  return value;
}

ww_trace *rig_record(struct rig *rig, ww_launch *launch) {
  struct kept kept = {NULL, 0};
  ww_trace *trace = NULL;
  const ww_watch watch = {.size = sizeof watch, .trace = rig_sink(&kept)};
  (void)(rig_fine(rig, ww_run(rig->device, &launch, 1, &watch, NULL, &rig->error)) &&
         rig_fine(rig,
                  ww_trace_open(rig->context, (ww_bytes){kept.text, kept.length, NULL}, false, &trace, &rig->error)));
  free(kept.text);
  return trace;
}
