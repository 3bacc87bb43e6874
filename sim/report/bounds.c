/* How near the resources came to their peaks, and the sentence that says what bounds a launch: docs/report.md has the
 * rule. */
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/json_out.h"
#include "sim/base/text.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

/* A resource this busy is the limit: no other change makes the launch more than a quarter faster. */
static const double SATURATED = 0.8;

/* A resource this busy explains the time that warps wait for it: requests come in bursts. */
static const double BUSY = 0.6;

/* Conflicts are reported if they add this share of the LDS's passes. */
static const double CONFLICTS = 0.1;

/* If one bucket has this share of its cause's waiting, the sentence names only the bucket. */
static const double NEARLY_ALL = 0.95;

/* A unit below this share of its peak is left out of the text report. */
static const double MINOR_UNIT = 0.1;

static const struct {
  const char *key, *name, *said;
} unit_words[ISA_CLASSES] = {
#define CLASS(id, name, runs, text) {"unit_" name, name " unit", "the " name " unit"},
#include "isa/classes.def"
#undef CLASS
};

/* A unit that accepts an instruction every cycle is never busier than the issue slots, and so is minor. */
static void unit_utilizations(const struct machine *machine, const struct launch_result *result,
                              struct utilization units[REPORT_UNITS]) {
  double peak = (double)result->cu.active_cycles * machine->cu.schedulers;
  for (unsigned i = 0; i < ISA_CLASSES; i++) {
    double used = (double)result->unit_cycles[i];
    if (isa_class_runs(i) != ISA_RUNS_ELSEWHERE)
      *units++ = (struct utilization){.key = unit_words[i].key,
                                      .name = unit_words[i].name,
                                      .said = unit_words[i].said,
                                      .unit = "busy cycles",
                                      .used = used < peak ? used : peak, /* the last interval may outlast the warps */
                                      .peak = peak,
                                      .serves = SERVES_UNITS,
                                      .minor = used < MINOR_UNIT * peak || !result->unit_holds[i]};
  }
}

/* Whether, on average, at least half a descriptor waited for a channel while an engine worked. */
static bool channels_wanted(const struct dma_stats *dma) { return 2 * dma->queue_cycles >= dma->busy_cycles; }

/* Bytes that DRAM transferred during the launch, which may have requested more than DRAM could transfer. */
static double dram_passed(const struct machine *machine, const struct launch_result *result) {
  double passed = (double)(result->mem.dram_early_bytes + result->mem.dram_bytes) - (double)result->mem.dram_late_bytes;
  double peak = (double)result->together_cycles * machine->mem.dram_width;
  return passed < 0 ? 0 : passed < peak ? passed : peak;
}

/* Bytes that links of `width` can transfer in `active` cycles of CUs, limited by what the clusters' ports can in
 * `cycles`. */
static double link_peak(const struct mem_params *mem, double active, double cycles, uint32_t width, uint32_t port) {
  double links = active * width, ports = cycles * mem->clusters * port;
  return mem->clusters && ports < links ? ports : links;
}

static double narrower(double a, double b) { return a < b ? a : b; }

/* Bytes that engines can transfer in these cycles at their narrower side. The side that faces the LDS has this width
 * for each CU that shares the engine. */
static double engines_peak(const struct machine *machine, const struct launch_result *result, double cycles) {
  const struct dma_params *dma = &machine->dma;
  const double sharers = narrower(dma->cus, machine->cu.count);
  const double all = (double)result->dma.bytes, out = (double)result->dma_out_bytes;
  const double in_width = narrower(dma->read_width, sharers * dma->write_width);
  const double out_width = dma->out_width ? dma->out_width : narrower(sharers * dma->read_width, dma->write_width);
  return all > 0 ? cycles * all / ((all - out) / in_width + out / out_width) : cycles * in_width;
}

void report_utilizations(const struct machine *machine, const struct launch_result *result,
                         struct utilization all[UTILIZATIONS]) {
  double active = (double)result->together_active, cycles = (double)result->together_cycles;
  double own = (double)result->cu.active_cycles;
  /* A shared engine serves any of its CUs that hold work-groups, so all cycles count. */
  double clusters = (double)div_up(machine->cu.count, machine->dma.cus);
  double engines = (machine->dma.cus > 1 ? cycles * clusters : active) * machine->dma.engines;
  const struct mem_params *mem = &machine->mem;
  double down = link_peak(mem, active, cycles, mem->link_width, mem->cluster_width),
         up = link_peak(mem, active, cycles, mem->link_up_width ? mem->link_up_width : mem->link_width,
                        mem->cluster_up_width);
#define OF(count) (double)result->count
  enum { MEMORY = SERVES_MEMORY | SERVES_COPIES };
  const struct utilization rows[UTILIZATIONS - REPORT_UNITS] = {
      {"issue_slots", "issue slots", "issue slots", "instructions",
       (double)(result->cu.warp_instructions + result->cu.function_slots + result->cu.copy_slots +
                result->cu.copy_retries),
       own * machine->cu.schedulers, .serves = SERVES_ISSUE},
      {"lds_passes", "LDS passes", "LDS passes", "passes", OF(lds.passes), active, .serves = SERVES_LDS},
      {"texture_units", "texture units", "the texture units", "turns", OF(cu.texture_busy) / 100,
       active * machine->texture.quad_rate / 100, .serves = SERVES_TEXTURES},
      {"dma_engines", "DMA engines", "the DMA engines", "bytes", OF(dma.bytes), engines_peak(machine, result, engines),
       .serves = SERVES_COPIES},
      {"dma_channels", "DMA channels", "the DMA channels", "channel-cycles", OF(dma.channel_cycles),
       engines * machine->dma.channels, .waits = OF(dma.room_cycles), .serves = SERVES_COPIES,
       .idle_held = !channels_wanted(&result->dma)},
      /* Counts requests held back, not requests in flight: a full window is no limit if nothing waits for it. */
      {"dma_outstanding", "dma.outstanding", "dma.outstanding", "cycles at the limit", OF(dma.outstanding_full_cycles),
       engines, .serves = SERVES_COPIES},
      {"link_down", "link from L2", "the link from L2", "bytes", OF(mem.link_down_bytes), down, .serves = MEMORY},
      {"link_up", "link to L2", "the link to L2", "bytes", OF(mem.link_up_bytes), up, .serves = MEMORY},
      {"l2", "L2", "the L2", "bytes", OF(mem.l2_bytes), cycles * machine->mem.l2_width, .serves = MEMORY},
      {"dram", "DRAM", "DRAM", "bytes", dram_passed(machine, result), cycles * machine->mem.dram_width,
       .serves = MEMORY},
  };
#undef OF
  memcpy(all, rows, sizeof rows);
  unit_utilizations(machine, result, all + UTILIZATIONS - REPORT_UNITS);
}

static double share_of(const struct utilization *resource) { return per(resource->used, resource->peak); }

/* Leaves out the time in which the resource was held but waited for another, which binds instead. */
static double working_of(const struct utilization *resource) {
  return per(resource->used - resource->waits, resource->peak);
}

/* The resource nearest to its peak of those that serve any of `services`; NULL: none. */
static const struct utilization *busiest_of(const struct utilization all[UTILIZATIONS], unsigned services, bool held) {
  const struct utilization *busiest = NULL;
  for (size_t i = 0; i < UTILIZATIONS; i++)
    if ((all[i].serves & services) && (held || !all[i].idle_held) &&
        (!busiest || working_of(&all[i]) > working_of(busiest)))
      busiest = &all[i];
  return busiest;
}

/* Buckets that wait for the same thing are added up. */
enum wait { WAIT_UNITS, WAIT_ISSUE, WAIT_LDS, WAIT_MEMORY, WAIT_COPIES, WAIT_WARPS, WAIT_PIPES, WAIT_TEXTURES, WAITS };

static const char *const wait_names[WAITS] = {[WAIT_UNITS] = "execution units",
                                              [WAIT_ISSUE] = "issue slots",
                                              [WAIT_LDS] = "the LDS",
                                              [WAIT_MEMORY] = "global memory",
                                              [WAIT_COPIES] = "asynchronous copies",
                                              [WAIT_WARPS] = "other warps of the work-group",
                                              [WAIT_PIPES] = "pipes",
                                              [WAIT_TEXTURES] = "texels of images"};

/* For each bucket, its cause, and the services that explain the waiting if they are busy; 0: bandwidth would not
 * help. */
static const struct {
  enum wait wait;
  unsigned services;
} waiting[STALLS] = {
    [STALL_DEPENDENCY] = {WAIT_UNITS, 0},
    [STALL_UNIT] = {WAIT_UNITS, SERVES_UNITS},
    [STALL_NOT_SELECTED] = {WAIT_ISSUE, SERVES_ISSUE},
    [STALL_LDS] = {WAIT_LDS, SERVES_LDS},
    [STALL_LDS_CONFLICT] = {WAIT_LDS, 0},
    [STALL_LDS_CONTENTION] = {WAIT_LDS, 0},
    [STALL_LDS_QUEUE] = {WAIT_LDS, SERVES_LDS},
    [STALL_MEMORY] = {WAIT_MEMORY, SERVES_MEMORY},
    [STALL_TEXTURE] = {WAIT_TEXTURES, SERVES_TEXTURES},
    [STALL_MEMORY_QUEUE] = {WAIT_MEMORY, SERVES_MEMORY},
    [STALL_FENCE] = {WAIT_MEMORY, SERVES_MEMORY},
    [STALL_BARRIER] = {WAIT_WARPS, 0},
    [STALL_COPY_JOIN] = {WAIT_WARPS, 0},
    [STALL_DMA_QUEUE] = {WAIT_COPIES, SERVES_COPIES},
    [STALL_COPY_DATA] = {WAIT_COPIES, SERVES_COPIES},
    [STALL_COPY_WAIT] = {WAIT_COPIES, SERVES_COPIES},
    [STALL_WAIT_JOIN] = {WAIT_WARPS, 0},
    [STALL_PIPE] = {WAIT_PIPES, SERVES_MEMORY},
    [STALL_PIPE_EMPTY] = {WAIT_PIPES, 0},
    [STALL_PIPE_FULL] = {WAIT_PIPES, 0},
    [STALL_DRAIN] = {WAIT_MEMORY, SERVES_MEMORY},
};

/* The cause with the most waiting, its warp-cycles, and its largest bucket; false: nothing waits. */
static bool longest_wait(const struct launch_result *result, enum wait *wait, uint64_t *cycles, enum stall *stall) {
  uint64_t sum[WAITS] = {0};
  *wait = WAIT_UNITS;
  *stall = STALL_ISSUED;
  for (enum stall i = STALL_ISSUED + 1; i < STALLS; i++)
    sum[waiting[i].wait] += result->stalls[i];
  for (enum wait i = 0; i < WAITS; i++)
    if (sum[i] > sum[*wait])
      *wait = i;
  for (enum stall i = STALL_ISSUED + 1; i < STALLS; i++)
    if (waiting[i].wait == *wait && (*stall == STALL_ISSUED || result->stalls[i] > result->stalls[*stall]))
      *stall = i;
  *cycles = sum[*wait];
  return *cycles > 0;
}

/* An unfinished launch has no limit to name. */
static bool unfinished(const struct launch_result *result, struct text *text) {
  if (result->end == END_DEADLOCK)
    text_print(text, "Deadlock: %zu warp%s forever. The figures are for an unfinished launch.", result->stuck_count,
               result->stuck_count == 1 ? " waits" : "s wait");
  if (result->end == END_DEADLOCK && result->together > 1 && result->never_started)
    text_print(text, " %s of its work-groups %s never started: no CU had room for %s.",
               TEXT_WHOLE(result->never_started), result->never_started == 1 ? "was" : "were",
               result->never_started == 1 ? "it" : "them");
  if (result->end == END_CYCLE_LIMIT) {
    struct text polls = {0};
    run_polls(result, &polls);
    if (polls.data)
      text_print(text, "Stopped at the cycle limit: %s. The figures are for an unfinished launch.", polls.data);
    else
      text_print(text, "Stopped at the cycle limit: the figures are for an unfinished launch.");
    free(polls.data);
  }
  return result->end != END_FINISHED;
}

/* Conflicts, rather than the kernel's needs, may have caused many of the passes. */
static void say_conflicts(const struct launch_result *result, struct text *text) {
  double share = per((double)result->lds.conflict_cycles, (double)result->lds.passes);
  if (share >= CONFLICTS)
    text_print(text, " Bank conflicts added %.1f %% of the passes.", 100 * share);
}

/* "warps spend 60.0 % of their time waiting for the LDS, mostly for room in the LDS's queue"; names only the bucket if
 * it is nearly all of the waiting. */
static void say_waiting(const struct launch_result *result, const char *before, enum wait wait, uint64_t cycles,
                        enum stall stall, struct text *text) {
  text_print(text, "%sarps spend %.1f %% of their time waiting for ", before,
             100 * per((double)cycles, (double)result->resident_cycles));
  if ((double)result->stalls[stall] < NEARLY_ALL * (double)cycles)
    text_print(text, "%s, mostly for ", wait_names[wait]);
  text_print(text, "%s.", stall_rows[stall].text);
}

/* ---- by lifting limits ----------------------------------------------------------------------------- */

static double saved_share(const struct bottleneck *tried, size_t rank) {
  return per((double)bottleneck_saved(tried, rank), (double)tried->cycles);
}

static double both_share(const struct bottleneck *tried) {
  return per((double)tried->cycles - (double)tried->both, (double)tried->cycles);
}

static const char *name_of(const struct bottleneck *tried, size_t rank) {
  return lift_rows[tried->rank[rank].limit].name;
}

static void say_tried(const struct bottleneck *tried, struct text *text) {
  const size_t known = bottleneck_known(tried);
  if (bottleneck_close(tried)) {
    text_print(
        text,
        "Bound by %s and %s alike: lifting the first limit saves %.1f %% of the cycles, lifting the second %.1f %%.",
        name_of(tried, 0), name_of(tried, 1), 100 * saved_share(tried, 0), 100 * saved_share(tried, 1));
  } else if (known) {
    text_print(text, "Bound by %s: lifting this limit saves %.1f %% of the cycles.", name_of(tried, 0),
               100 * saved_share(tried, 0));
    if (known > 1)
      text_print(text, " The runner-up, %s, costs %.1f %%.", name_of(tried, 1), 100 * saved_share(tried, 1));
  } else if (tried->count && bottleneck_saved(tried, 0) > 0) {
    text_print(text, "Bound by no single limit of the machine: the costliest, %s, costs %.1f %% of the cycles.",
               name_of(tried, 0), 100 * saved_share(tried, 0));
  } else {
    text_print(text, "Bound by no single limit of the machine: lifting any of them saves nothing.");
  }
  if (tried->same == 1)
    text_print(text, " The two are one limit: lifting both saves %.1f %%.", 100 * both_share(tried));
  else if (tried->same)
    text_print(text, " The first is one limit with %s, which costs %.1f %%: lifting both saves %.1f %%.",
               name_of(tried, tried->same), 100 * saved_share(tried, tried->same), 100 * both_share(tried));
}

static void say_longest_wait(const struct launch_result *result, struct text *text) {
  enum wait wait = WAITS;
  enum stall stall = STALL_ISSUED;
  uint64_t cycles = 0;
  if (longest_wait(result, &wait, &cycles, &stall))
    say_waiting(result, " W", wait, cycles, stall, text);
}

static void say_lifted(const struct machine *machine, const struct bottleneck *tried, size_t rank, struct text *text) {
  char word[LIMIT_WORD];
  text_print(text, "  %s, lifted: %s of %s cycles\n   ", name_of(tried, rank), TEXT_WHOLE(tried->rank[rank].cycles),
             TEXT_WHOLE(tried->cycles));
  for (const char *keys = lift_rows[tried->rank[rank].limit].keys; limits_next(&keys, machine, word);)
    text_print(text, " --set %s", word);
  text_print(text, "\n");
}

void report_why(const struct machine *machine, const struct bottleneck *tried, struct text *text) {
  const size_t known = bottleneck_known(tried);
  for (size_t i = 0; i < known; i++)
    say_lifted(machine, tried, i, text);
  if (tried->same > 1)
    say_lifted(machine, tried, tried->same, text);
}

/* ---- by accounting --------------------------------------------------------------------------------- */

static struct report_likely say_resource(const struct utilization *limit, const struct launch_result *result,
                                         struct text *text) {
  text_print(text, "Likely bound by %s: %.1f %% of peak.", limit->said, 100 * share_of(limit));
  if (limit->serves == SERVES_LDS)
    say_conflicts(result, text);
  return (struct report_likely){limit->key, limit->said, share_of(limit)};
}

/* No resource is near its peak: names what warps wait for most, or the busy resource that explains the waiting. */
static struct report_likely say_longest(const struct utilization all[UTILIZATIONS], const struct launch_result *result,
                                        struct text *text) {
  enum wait wait = WAITS;
  enum stall stall = STALL_ISSUED;
  uint64_t cycles = 0;
  if (!longest_wait(result, &wait, &cycles, &stall)) {
    text_print(text, "Nothing waits: every warp issues in every cycle in which it is resident.");
    return (struct report_likely){0};
  }
  const struct utilization *owed = busiest_of(all, waiting[stall].services, false);
  const struct utilization *busiest = busiest_of(all, ~0u, true);
  if (owed && working_of(owed) >= BUSY) {
    text_print(text, "Likely bound by %s, at %.1f %% of peak", owed->said, 100 * share_of(owed));
    say_waiting(result, ": w", wait, cycles, stall, text);
    if (owed->serves == SERVES_LDS)
      say_conflicts(result, text);
    return (struct report_likely){owed->key, owed->said, share_of(owed)};
  }
  text_print(text, "Likely bound by %s", stall_rows[stall].limit);
  say_waiting(result, ": w", wait, cycles, stall, text);
  text_print(text, " The busiest resource, %s, is at %.1f %% of peak%s.", busiest->said, 100 * share_of(busiest),
             busiest->idle_held && share_of(busiest) >= BUSY ? ", but copies rarely waited for one" : "");
  return (struct report_likely){stall_rows[stall].name, stall_rows[stall].limit,
                                per((double)cycles, (double)result->resident_cycles)};
}

static struct report_likely say_likely(const struct machine *machine, const struct launch_result *result,
                                       struct text *text) {
  struct utilization all[UTILIZATIONS];
  report_utilizations(machine, result, all);
  /* Launches at once share these resources, which may be busy with the others' work: only waiting shows the limit of
   * this launch. */
  const unsigned own = SERVES_ISSUE | SERVES_UNITS;
  const struct utilization *busiest = busiest_of(all, result->together > 1 ? own : ~0u, false);
  return working_of(busiest) >= SATURATED ? say_resource(busiest, result, text) : say_longest(all, result, text);
}

struct report_likely report_likely(const struct machine *machine, const struct launch_result *result) {
  struct text ignored = {0};
  const struct report_likely likely =
      result->end == END_FINISHED ? say_likely(machine, result, &ignored) : (struct report_likely){0};
  free(ignored.data);
  return likely;
}

/* ---- both ------------------------------------------------------------------------------------------ */

char *report_bottleneck(const struct machine *machine, const struct launch_result *result,
                        const struct bottleneck *tried) {
  struct text text = {0};
  if (unfinished(result, &text))
    return text.data;
  if (!tried) {
    say_likely(machine, result, &text);
    return text.data;
  }
  say_tried(tried, &text);
  if (tried->groups)
    text_print(&text, " (Tried on the first %s of %s work-groups.)", TEXT_WHOLE(tried->groups),
               TEXT_WHOLE(result->work_groups));
  say_longest_wait(result, &text);
  return text.data;
}

/* The settings that lift a limit on the machine. */
static json_t *settings_of(enum limit limit, const struct machine *machine) {
  json_t *list = json_array();
  char word[LIMIT_WORD];
  for (const char *keys = lift_rows[limit].keys; limits_next(&keys, machine, word);)
    json_array_append_new(list, json_string(word));
  return list;
}

static json_t *tried_object(const struct machine *machine, const struct bottleneck *tried, size_t rank) {
  const struct lift_row *row = &lift_rows[tried->rank[rank].limit];
  json_t *object = json_object();
  json_set_word(object, "limit", row->slug);
  json_set_word(object, "name", row->name);
  json_set_whole(object, "cycles", tried->rank[rank].cycles);
  json_object_set_new(object, "share", json_real(saved_share(tried, rank)));
  json_object_set_new(object, "set", settings_of(tried->rank[rank].limit, machine));
  return object;
}

json_t *report_json_bottleneck(const struct machine *machine, const struct launch_result *result,
                               const struct bottleneck *tried) {
  const bool finished = result->end == END_FINISHED;
  const size_t known = finished && tried ? bottleneck_known(tried) : 0;
  const struct report_likely likely = tried ? (struct report_likely){0} : report_likely(machine, result);
  char *sentence = report_bottleneck(machine, result, tried);
  json_t *object = known ? tried_object(machine, tried, 0) : json_object();
  if (!known) {
    json_object_set_new(object, "limit", likely.key ? json_string(likely.key) : json_null());
    json_object_set_new(object, "share", json_real(likely.share));
  }
  if (finished && tried)
    json_set_whole(object, "work_groups", tried->groups ? tried->groups : result->work_groups);
  json_set_word(object, "by", !finished ? "none" : tried ? "lifting" : "accounts");
  json_set_word(object, "sentence", sentence);
  json_object_set_new(object, "runner_up", known > 1 ? tried_object(machine, tried, 1) : json_null());
  json_t *same = known && tried->same ? tried_object(machine, tried, tried->same) : json_null();
  if (known && tried->same) {
    json_set_whole(same, "both_cycles", tried->both);
    json_object_set_new(same, "both_share", json_real(both_share(tried)));
  }
  json_object_set_new(object, "same", same);
  free(sentence);
  return object;
}
