/* The JSON report. Keys keep this order; integers are integers; "units" has the units. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/text.h"
#include "sim/base/version.h"
#include "sim/core/histogram.h"
#include "sim/report/fidelity.h"
#include "sim/report/lines.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

static void set_real(json_t *object, const char *key, double value) {
  json_object_set_new(object, key, json_real(value));
}

static void set_stats(json_t *object, const struct stat_group *group, const void *stats) {
  for (size_t i = 0; i < group->count; i++)
    json_set_whole(object, group->rows[i].name, stat_value(&group->rows[i], stats));
}

/* ---- machine ----------------------------------------------------------------------------------- */

static json_t *value_of(const struct param_group *group, const struct param_row *row, const struct machine *machine) {
  char word[32];
  if (row->kind != PARAM_CHOICE)
    return json_of_whole(param_value(group, row, machine));
  param_text(group, row, machine, word);
  return json_of_word(word);
}

json_t *report_json_changed(const struct job *job) {
  json_t *changed = json_object();
  for (struct machine_param at = {0}; machine_param_next(&at);)
    if (report_changed(job, at.group, at.row))
      json_object_set_new(changed, at.key, value_of(at.group, at.row, job->machine));
  return changed;
}

static json_t *machine_object(const struct job *job) {
  const struct machine *machine = job->machine;
  json_t *object = json_object(), *parameters = json_object();
  json_set_word(object, "name", machine->name);
  for (struct machine_param at = {0}; machine_param_next(&at);)
    json_object_set_new(
        parameters, at.key,
        json_pack("{s:o, s:o}", "value", value_of(at.group, at.row, machine), "unit", json_of_word(at.row->unit)));
  json_object_set_new(object, "parameters", parameters);
  json_object_set_new(object, "changed", report_json_changed(job));
  return object;
}

static void set_units(json_t *units, const char *prefix, const struct stat_group *group) {
  for (size_t i = 0; i < group->count; i++) {
    char key[80];
    snprintf(key, sizeof key, "%s.%s", prefix, group->rows[i].name);
    json_set_word(units, key, group->rows[i].unit);
  }
}

static json_t *units_object(void) {
  json_t *units = json_object();
  for (size_t i = 0; i < report_key_count; i++)
    if (*report_keys[i].unit)
      json_set_word(units, report_keys[i].key, report_keys[i].unit);
  set_units(units, "cu", &cu_stat_group);
  set_units(units, "lds", &lds_stat_group);
  set_units(units, "dma", &dma_stat_group);
  set_units(units, "memory", &mem_stat_group);
  set_units(units, "pipes[]", &isa_pipe_stat_group);
  return units;
}

/* ---- a launch ---------------------------------------------------------------------------------- */

static void set_place(json_t *object, const struct isa_program *program, uint32_t pc) {
  const char *source = isa_source_name(program, pc);
  json_set_word(object, "file", file_base(source ? source : program->file));
  json_set_whole(object, "line", program_line(program, pc));
}

static json_t *stalls_object(const uint64_t stalls[STALLS], bool zeros) {
  json_t *object = json_object();
  for (int i = 0; i < STALLS; i++)
    if (zeros || stalls[i])
      json_set_whole(object, stall_rows[i].name, stalls[i]);
  return object;
}

static json_t *occupancy_object(const struct occupancy *fit) {
  json_t *object = json_object(), *groups = json_object();
  json_set_whole(object, "warps_per_group", fit->warps_per_group);
  json_set_whole(object, "groups_per_cu", fit->groups_per_cu);
  json_set_word(object, "limit", occupancy_limit_rows[fit->limit].key);
  for (int i = 0; i < OCCUPANCY_LIMITS; i++)
    json_set_whole(groups, occupancy_limit_rows[i].key, fit->groups[i]);
  json_object_set_new(object, "groups_allowed", groups);
  json_set_whole(object, "registers_per_warp", fit->registers_per_warp);
  json_set_whole(object, "lds_per_group", fit->lds_per_group);
  return object;
}

static json_t *lds_instructions(const struct isa_program *program, const struct launch_result *result) {
  json_t *list = json_array();
  for (uint32_t pc = 0; pc < program->count; pc++) {
    const struct pc_result *at = &result->by_pc[pc];
    if (!at->lds_accesses)
      continue;
    json_t *object = json_object();
    set_place(object, program, pc);
    json_set_whole(object, "pc", pc);
    json_set_whole(object, "accesses", at->lds_accesses);
    json_set_whole(object, "passes", at->lds_passes);
    json_set_whole(object, "conflict_cycles", at->lds_conflict_cycles);
    json_set_whole(object, "contention_cycles", at->lds_contention_cycles);
    json_set_whole(object, "max_ways", at->lds_max_ways);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *lds_object(const struct isa_program *program, const struct launch_result *result) {
  json_t *object = json_object();
  set_stats(object, &lds_stat_group, &result->lds);
  json_set_whole(object, "max_ways", result->lds_max_ways);
  json_object_set_new(object, "by_instruction", lds_instructions(program, result));
  return object;
}

/* The bins in use: lowest value and count. */
static json_t *latency_bins(const struct histogram *latency) {
  json_t *list = json_array();
  for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++) {
    if (!latency->bin[bin])
      continue;
    json_t *object = json_object();
    json_set_whole(object, "from", histogram_low(bin));
    json_set_whole(object, "count", latency->bin[bin]);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *latency_object(const struct histogram *latency) {
  json_t *object = json_object();
  json_set_whole(object, "count", latency->count);
  json_set_whole(object, "min", latency->minimum);
  set_real(object, "mean", per((double)latency->sum, (double)latency->count));
  json_set_whole(object, "p50", histogram_quantile(latency, 50));
  json_set_whole(object, "p99", histogram_quantile(latency, 99));
  json_set_whole(object, "max", latency->maximum);
  json_object_set_new(object, "bins", latency_bins(latency));
  return object;
}

static json_t *means(const struct machine *machine, const struct launch_result *result, const uint64_t sum[TIMELINE]) {
  json_t *list = json_array();
  uint32_t count = result->dma.descriptors ? dma_timeline_intervals(&result->dma_timeline, result->together_cycles) : 0;
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(list, json_real(report_engine_mean(machine, result, sum, i)));
  return list;
}

static json_t *timeline_object(const struct machine *machine, const struct launch_result *result) {
  json_t *object = json_object();
  json_set_whole(object, "interval", (uint64_t)1 << result->dma_timeline.shift);
  json_object_set_new(object, "queue", means(machine, result, result->dma_timeline.waiting));
  json_object_set_new(object, "channels", means(machine, result, result->dma_timeline.held));
  return object;
}

static void set_efficiency(json_t *object, const struct launch_result *result) {
  const struct mem_stats *mem = &result->mem;
  double bytes = (double)mem->dma_bytes;
  set_real(object, "bytes_per_request", per(bytes, (double)(mem->dma_reads + mem->dma_writes)));
  set_real(object, "bytes_per_burst", per(bytes, (double)result->dma.bursts));
  set_real(object, "efficiency", per(bytes, (double)mem->dma_sector_bytes));
}

static json_t *dma_object(const struct machine *machine, const struct launch_result *result) {
  json_t *object = json_object();
  set_stats(object, &dma_stat_group, &result->dma);
  json_set_whole(object, "descriptors_1d", report_one_dimensional(&result->dma));
  set_efficiency(object, result);
  set_real(object, "bytes_per_cycle", per((double)result->dma.bytes, (double)result->dma.busy_cycles));
  json_object_set_new(object, "latency", latency_object(launch_copy_latency(result)));
  json_set_whole(object, "queue_full_cycles", result->stalls[STALL_DMA_QUEUE]);
  set_real(object, "queue_mean", per((double)result->dma.queue_cycles, (double)result->dma.busy_cycles));
  json_set_whole(object, "queue_peak", result->dma_queue_peak);
  json_object_set_new(object, "timeline", timeline_object(machine, result));
  return object;
}

static json_t *memory_object(const struct machine *machine, const struct mem_stats *mem) {
  json_t *object = json_object();
  double rows = (double)report_row_accesses(mem);
  set_stats(object, &mem_stat_group, mem);
  set_real(object, "l2_hit_rate", per((double)mem->l2_hits, (double)(mem->l2_hits + mem->l2_misses)));
  set_real(object, "l2_imbalance", report_l2_imbalance(machine, mem));
  json_set_whole(object, "l2_bypassed_bytes", mem->l2_bypassed * machine->mem.sector);
  set_real(object, "dram_imbalance", report_dram_imbalance(machine, mem));
  set_real(object, "dram_row_hit_rate", per((double)mem->dram_row_hits, rows));
  set_real(object, "dram_row_miss_rate", per((double)mem->dram_row_misses, rows));
  set_real(object, "dram_row_conflict_rate", per((double)mem->dram_row_conflicts, rows));
  return object;
}

static json_t *hiding_object(const struct cu_stats *cu) {
  json_t *object = json_object();
  json_set_whole(object, "copy_cycles", cu->copy_cycles);
  json_set_whole(object, "hidden_cycles", cu->copy_cycles - cu->exposed_cycles);
  json_set_whole(object, "exposed_cycles", cu->exposed_cycles);
  return object;
}

static json_t *utilization_object(const struct machine *machine, const struct launch_result *result) {
  struct utilization all[UTILIZATIONS];
  json_t *object = json_object();
  report_utilizations(machine, result, all);
  for (size_t i = 0; i < UTILIZATIONS; i++)
    set_real(object, all[i].key, per(all[i].used, all[i].peak));
  return object;
}

static json_t *unit_cycles(const struct launch_result *result) {
  json_t *object = json_object();
  for (unsigned i = 0; i < ISA_CLASSES; i++)
    if (isa_class_runs(i) != ISA_RUNS_ELSEWHERE)
      json_set_whole(object, isa_class_name(i), result->unit_cycles[i]);
  return object;
}

static void set_copies(json_t *object, const struct pc_result *at) {
  const char *kind = report_copy_kind(at->copy_forms);
  json_set_whole(object, "copies", at->copies);
  json_object_set_new(object, "copy_kind", kind ? json_string(kind) : json_null());
  json_set_whole(object, "copy_bytes", at->copy_bytes);
  json_set_whole(object, "copy_requests", at->copy_requests);
  set_real(object, "copy_request_bytes", per((double)at->copy_moved, (double)at->copy_requests));
}

static json_t *instruction_list(const struct isa_program *program, const struct launch_result *result) {
  json_t *list = json_array();
  for (uint32_t pc = 0; pc < program->count; pc++) {
    const struct pc_result *at = &result->by_pc[pc];
    json_t *object = json_object(), *waits = stalls_object(at->stalls, false);
    char text[200];
    isa_print(program, pc, text, sizeof text);
    set_place(object, program, pc);
    json_set_whole(object, "pc", pc);
    json_set_word(object, "instruction", text);
    json_set_whole(object, "issues", at->issues);
    json_set_whole(object, "lanes", at->lanes);
    json_object_set_new(object, "stalls", waits);
    json_set_whole(object, "sectors", at->sectors);
    set_copies(object, at);
    if (at->issues || json_object_size(waits))
      json_array_append(list, object);
    json_decref(object);
  }
  return list;
}

/* The line as in its file, without leading and trailing blanks; null if unknown. */
static json_t *line_text(const struct isa_source *source, uint32_t line) {
  enum { SHOWN = 400 };
  const char *text = source && source->text && line <= source->lines ? source->text[line - 1] : NULL;
  if (!text)
    return json_null();
  text += strspn(text, " \t");
  size_t length = strcspn(text, "\r\n");
  if (length > SHOWN)
    for (length = SHOWN; length && (text[length] & 0xc0) == 0x80; length--) /* do not cut a UTF-8 character */
      continue;
  while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
    length--;
  return json_of_bytes(text, length);
}

static json_t *line_list(const struct isa_program *program, const struct launch_result *result) {
  json_t *list = json_array();
  size_t count = 0;
  struct line_cost *lines = lines_of(program, result, &count);
  for (size_t i = 0; i < count; i++) {
    const struct pc_result *cost = &lines[i].cost;
    json_t *object = json_object();
    bool known = lines[i].line && lines[i].source < program->source_count;
    const struct isa_source *source = known ? &program->sources[lines[i].source] : NULL;
    json_set_word(object, "file", file_base(source ? source->name : program->file));
    json_set_whole(object, "line", lines[i].line);
    json_object_set_new(object, "text", line_text(source, lines[i].line));
    json_set_whole(object, "issues", cost->issues);
    json_set_whole(object, "cycles", lines[i].cycles);
    json_object_set_new(object, "stalls", stalls_object(cost->stalls, false));
    json_set_whole(object, "lds_conflict_cycles", cost->lds_conflict_cycles);
    json_set_whole(object, "sectors", cost->sectors);
    set_copies(object, cost);
    set_real(object, "copy_latency_mean", per((double)cost->copy_cycles, (double)cost->copies_done));
    json_set_whole(object, "copy_latency_max", cost->copy_max);
    json_array_append_new(list, object);
  }
  free(lines);
  return list;
}

static json_t *hazard_list(const struct isa_program *program, const struct launch_result *result) {
  json_t *list = json_array();
  for (size_t i = 0; i < result->hazard_count; i++) {
    const struct isa_hazard *hazard = &result->hazards[i].first;
    const struct isa_hazard_row *row = &isa_hazard_rows[hazard->rule];
    char advice[ISA_ADVICE];
    json_t *object = json_object();
    json_set_word(object, "rule", row->rule);
    json_set_word(object, "message", row->text);
    json_set_word(object, "detail", hazard->detail);
    isa_hazard_advice(hazard->rule, 0, 0, advice);
    json_set_word(object, "advice", advice);
    set_place(object, program, hazard->pc);
    json_object_set_new(object, "work_group", json_of_triple(hazard->group));
    json_object_set_new(object, "work_items", json_pack("[I]", (json_int_t)hazard->item));
    json_set_whole(object, "count", result->hazards[i].count);
    json_array_append_new(list, object);
  }
  return list;
}

/* A pipe's mean needs timing. */
static json_t *pipe_list(const struct launch_result *result) {
  json_t *list = json_array();
  for (size_t i = 0; i < result->pipe_count; i++) {
    const struct pipe_result *at = &result->pipes[i];
    json_t *object = json_object();
    json_set_word(object, "name", at->pipe->name);
    json_set_whole(object, "packet_size", at->pipe->packet_size);
    json_set_whole(object, "max_packets", at->pipe->max_packets);
    set_stats(object, &isa_pipe_stat_group, &at->stats);
    json_set_whole(object, "left", at->left);
    if (result->functional)
      json_object_del(object, "packet_cycles");
    else
      set_real(object, "mean", per((double)at->stats.packet_cycles, (double)result->together_cycles));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *bits_of(uint64_t set, uint32_t first) {
  json_t *list = json_array();
  for (; set; set &= set - 1)
    json_array_append_new(list, json_integer((json_int_t)first + __builtin_ctzll(set)));
  return list;
}

static json_t *poll_object(const struct launch_result *result, const struct stuck_warp *warp) {
  const struct warp_poll *poll = &warp->poll;
  struct text text = {0};
  if (!poll->lanes)
    return json_null();
  run_poll(result, warp, &text);
  json_t *object = json_object();
  json_set_word(object, "sentence", text.data);
  json_object_set_new(object, "lanes", bits_of(poll->lanes, 0));
  json_object_set_new(object, "local", json_boolean(poll->local));
  json_object_set_new(object, "name", *poll->name ? json_of_word(poll->name) : json_null());
  json_set_whole(object, "offset", poll->offset);
  json_set_whole(object, "bytes", poll->bytes);
  json_object_set_new(object, "waiting", bits_of(poll->waiting, poll->first_item));
  json_object_set_new(object, "exchange", json_boolean(poll->exchange));
  free(text.data);
  return object;
}

static json_t *stuck_list(const struct isa_program *program, const struct launch_result *result) {
  json_t *list = json_array();
  for (size_t i = 0; i < result->stuck_count && i < RESULT_STUCK; i++) {
    const struct stuck_warp *warp = &result->stuck[i];
    json_t *object = json_object();
    json_set_whole(object, "cu", warp->cu);
    json_object_set_new(object, "work_group", json_of_triple(warp->group));
    json_set_whole(object, "warp", warp->warp);
    set_place(object, program, warp->pc);
    json_set_whole(object, "pc", warp->pc);
    json_set_word(object, "stall", stall_rows[warp->stall].name);
    json_set_whole(object, "missing", warp->missing);
    json_set_whole(object, "exited", warp->exited);
    json_set_whole(object, "event", warp->event);
    uint32_t pc = report_elsewhere(result, warp);
    bool apart = warp->mismatched && pc != warp->pc;
    json_t *elsewhere = apart ? json_object() : json_null();
    if (apart) {
      set_place(elsewhere, program, pc);
      json_set_whole(elsewhere, "pc", pc);
    }
    json_object_set_new(object, "elsewhere", elsewhere);
    json_object_set_new(object, "pipe", warp->pipe ? json_string(warp->pipe->name) : json_null());
    json_object_set_new(object, "poll", poll_object(result, warp));
    json_array_append_new(list, object);
  }
  return list;
}

static void set_shape(json_t *object, const struct isa_launch *launch) {
  json_set_word(object, "kernel", launch->kernel->name);
  json_set_word(object, "file", file_base(launch->program->file));
  json_set_whole(object, "registers", launch->kernel->registers);
  json_set_whole(object, "spilled_words", launch->kernel->spilled);
  json_set_whole(object, "private_bytes", launch->kernel->private_bytes);
  json_object_set_new(object, "global", json_of_triple(launch->global));
  json_object_set_new(object, "local", json_of_triple(launch->local));
  json_object_set_new(object, "offset", json_of_triple(launch->offset));
  if (launch->part_groups)
    json_set_whole(object, "first_work_group", launch->first_group);
}

static void set_summary(json_t *object, const struct machine *machine, const struct launch_result *result) {
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, result->trace_hash);
  json_set_word(object, "end", launch_end_names[result->end]);
  json_set_whole(object, "cycles", result->cycles);
  json_set_whole(object, "event_cycles", result->cycles + machine->cu.launch_overhead);
  set_real(object, "microseconds", (double)result->cycles / machine->cu.clock_mhz);
  json_set_whole(object, "warp_instructions", result->cu.warp_instructions);
  json_set_whole(object, "work_groups", result->work_groups);
  json_set_word(object, "trace_hash", hash);
}

/* Numbers, from 1, of the launches that ran at once with this one. */
static json_t *others(const struct job *job, size_t number) {
  const struct job_launch *own = &job->launches[number];
  json_t *list = json_array();
  for (size_t i = own->first; i < own->first + own->together; i++)
    if (i != number)
      json_array_append_new(list, json_of_whole(i + 1));
  return list;
}

static void set_printed(json_t *object, const struct printed *printed) {
  json_object_set_new(object, "printf", json_of_bytes(printed->text, printed->length));
  json_object_set_new(object, "printf_truncated", json_boolean(printed->truncated));
}

/* Hazards and stuck warps. */
static void set_findings(json_t *object, const struct isa_program *program, const struct launch_result *result) {
  json_object_set_new(object, "hazards", hazard_list(program, result));
  json_set_whole(object, "hazards_dropped", result->hazards_dropped);
  json_object_set_new(object, "stuck", stuck_list(program, result));
  json_set_whole(object, "stuck_count", result->stuck_count);
}

/* Counters of `cu` that do not depend on time. */
static json_t *executed_counters(const struct cu_stats *stats) {
  static const char *const counted[] = {
      "warp_instructions", "lane_instructions", "divergent_branches", "barriers",   "copies",      "copies_plain",
      "copies_strided",    "copies_2d",         "copies_3d",          "copy_bytes", "copy_fences", "waits",
      "work_groups"};
  json_t *object = json_object();
  for (size_t i = 0; i < cu_stat_group.count; i++)
    for (size_t j = 0; j < sizeof counted / sizeof *counted; j++)
      if (strcmp(cu_stat_group.rows[i].name, counted[j]) == 0)
        json_set_whole(object, counted[j], stat_value(&cu_stat_group.rows[i], stats));
  return object;
}

static json_t *executed_instructions(const struct isa_program *program, const struct launch_result *result) {
  json_t *list = json_array();
  for (uint32_t pc = 0; pc < program->count; pc++) {
    char text[200];
    if (!result->by_pc[pc].issues)
      continue;
    json_t *object = json_object();
    isa_print(program, pc, text, sizeof text);
    set_place(object, program, pc);
    json_set_whole(object, "pc", pc);
    json_set_word(object, "instruction", text);
    json_set_whole(object, "issues", result->by_pc[pc].issues);
    json_set_whole(object, "lanes", result->by_pc[pc].lanes);
    json_array_append_new(list, object);
  }
  return list;
}

/* A launch executed without timing: keys that need timing are absent. */
static json_t *executed_object(const struct report *report, size_t number) {
  const struct launch_result *result = &report->results[number];
  const struct job_launch *launch = &report->job->launches[number];
  json_t *object = json_object();
  set_shape(object, &launch->isa);
  set_printed(object, &launch->printed);
  json_object_set_new(object, "functional", json_true());
  json_set_word(object, "end", launch_end_names[result->end]);
  json_set_whole(object, "warp_instructions", result->cu.warp_instructions);
  json_set_whole(object, "work_groups", result->work_groups);
  json_object_set_new(object, "together", others(report->job, number));
  json_object_set_new(object, "cu", executed_counters(&result->cu));
  json_object_set_new(object, "pipes", pipe_list(result));
  json_object_set_new(object, "by_instruction", executed_instructions(launch->isa.program, result));
  set_findings(object, launch->isa.program, result);
  return object;
}

static json_t *launch_object(const struct report *report, size_t number, enum fidelity_machine measured) {
  const struct launch_result *result = &report->results[number];
  const struct job *job = report->job;
  const struct machine *machine = job->machine;
  const struct job_launch *job_launch = &job->launches[number];
  const struct isa_launch *launch = &job_launch->isa;
  if (result->functional)
    return executed_object(report, number);
  const struct fidelity fidelity = fidelity_of(job, number, result, measured);
  json_t *object = json_object(), *cu = json_object();
  set_shape(object, launch);
  set_printed(object, &job_launch->printed);
  set_summary(object, machine, result);
  json_object_set_new(object, "together", others(job, number));
  json_set_whole(object, "together_cycles", result->together_cycles);
  json_object_set_new(object, "bottleneck", report_json_bottleneck(machine, result, report_tried(report, number)));
  json_object_set_new(object, "fidelity", fidelity_json(&fidelity, job));
  json_object_set_new(object, "utilization", utilization_object(machine, result));
  json_object_set_new(object, "unit_cycles", unit_cycles(result));
  json_object_set_new(object, "occupancy", occupancy_object(&result->occupancy));
  json_object_set_new(object, "stalls", stalls_object(result->stalls, true));
  json_set_whole(object, "resident_cycles", result->resident_cycles);
  set_stats(cu, &cu_stat_group, &result->cu);
  json_object_set_new(object, "cu", cu);
  json_object_set_new(object, "lds", lds_object(launch->program, result));
  json_object_set_new(object, "dma", dma_object(machine, result));
  json_object_set_new(object, "memory", memory_object(machine, &result->mem));
  json_object_set_new(object, "pipes", pipe_list(result));
  json_object_set_new(object, "hiding", hiding_object(&result->cu));
  json_object_set_new(object, "by_instruction", instruction_list(launch->program, result));
  json_object_set_new(object, "by_line", line_list(launch->program, result));
  set_findings(object, launch->program, result);
  return object;
}

static json_t *verdict_list(const struct report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->verdict_count; i++) {
    const struct verdict *verdict = &report->verdicts[i];
    json_t *object = json_object();
    json_set_word(object, "what", verdict->what);
    json_set_word(object, "mode", verdict->mode);
    json_object_set_new(object, "passed", json_boolean(verdict->passed));
    json_set_word(object, "difference", verdict->text);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *launch_list(const struct report *report) {
  const enum fidelity_machine measured = report_measured(report);
  json_t *list = json_array();
  for (size_t i = 0; i < report->count; i++)
    json_array_append_new(list, launch_object(report, i, measured));
  return list;
}

static json_t *all_hazards(const struct report *report) {
  json_t *all = json_array();
  for (size_t i = 0; i < report->count; i++) {
    json_t *list = hazard_list(report->job->launches[i].isa.program, &report->results[i]);
    json_array_extend(all, list);
    json_decref(list);
  }
  return all;
}

const char *const report_member_names[REPORT_MEMBER_COUNT] = {
#define ROW(name) #name,
    REPORT_MEMBERS(ROW)
#undef ROW
};

json_t *report_json_member(const struct report *report, enum report_member member) {
  const struct job *job = report->job;
  switch (member) {
  case REPORT_warpwait:
    return json_of_word(WARPWAIT_VERSION);
  case REPORT_name:
    return json_of_word(job->name ? job->name : file_base(job->file));
  case REPORT_machine:
    return machine_object(job);
  case REPORT_defines:
    return program_json_defines(&job->build);
  case REPORT_units:
    return units_object();
  case REPORT_launches:
    return launch_list(report);
  case REPORT_hazards:
    return all_hazards(report);
  case REPORT_verify:
    return report->verdicts ? verdict_list(report) : NULL;
  case REPORT_MEMBER_COUNT:
    break;
  }
  return NULL;
}

json_t *report_json_tree(const struct report *report) {
  json_t *root = json_object();
  for (enum report_member member = 0; member < REPORT_MEMBER_COUNT; member++) {
    json_t *made = report_json_member(report, member);
    if (made)
      json_object_set_new(root, report_member_names[member], made);
  }
  return root;
}

static void write_launches(const struct report *report, struct json_writer *writer) {
  const enum fidelity_machine measured = report_measured(report);
  json_open(writer, report_member_names[REPORT_launches], '[');
  for (size_t i = 0; i < report->count && !writer->failed; i++)
    json_put(writer, NULL, launch_object(report, i, measured));
  json_close(writer, ']');
}

bool report_json_write(const struct report *report, const struct sink *sink, struct message *message) {
  struct json_writer writer = {.sink = sink, .message = message};
  json_open(&writer, NULL, '{');
  for (enum report_member member = 0; member < REPORT_MEMBER_COUNT; member++) {
    json_t *made = member == REPORT_launches ? NULL : report_json_member(report, member);
    if (member == REPORT_launches)
      write_launches(report, &writer);
    else if (made)
      json_put(&writer, report_member_names[member], made);
  }
  json_close(&writer, '}');
  return json_written(&writer);
}

char *report_json(const struct report *report) {
  struct text text = {0};
  const struct sink sink = sink_into(&text);
  report_json_write(report, &sink, NULL);
  return text.data;
}
