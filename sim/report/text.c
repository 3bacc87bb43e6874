/* The text report: numbers first, then their meaning, then advice. */
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/machine.h"
#include "models/pipes.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/core/histogram.h"
#include "sim/report/fidelity.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

enum { SHOWN_INSTRUCTIONS = 10, SOURCE_WIDTH = 80, HEAD_WIDTH = 15 /* of a head's first column */ };

/* One launch, for the sections below. */
struct view {
  const struct job *job;
  const struct isa_launch *launch;
  const struct launch_result *result;
  struct text *text;
  bool refitted; /* compiled again for fewer registers */
  size_t number; /* of the launch, from 0 */
  const struct bottleneck *tried;
  enum fidelity_machine measured;
  bool why;
};

static double percent(uint64_t count, uint64_t whole) { return 100 * per((double)count, (double)whole); }

static void print_range(struct text *text, const uint32_t range[3], uint32_t dimensions) {
  for (uint32_t i = 0; i < dimensions; i++)
    text_print(text, "%s%s", i ? " x " : "", TEXT_WHOLE(range[i]));
}

/* The source line without its indentation, or the instruction if there is no source; and of how many instructions the
 * row is. */
static void print_source(const struct view *view, uint32_t pc, uint64_t instructions) {
  const struct isa_program *program = view->launch->program;
  char instruction[200];
  isa_print(program, pc, instruction, sizeof instruction);
  const char *text = isa_source_text(program, pc), *source = text ? text : instruction;
  source += strspn(source, " \t");
  size_t length = strcspn(source, "\r\n"), shown = length;
  if (length > SOURCE_WIDTH)
    for (shown = SOURCE_WIDTH - 1; shown && (source[shown] & 0xc0) == 0x80; shown--) /* do not cut a UTF-8 character */
      continue;
  text_print(view->text, "%.*s%s", (int)shown, source, shown < length ? "\u2026" : "");
  if (instructions > 1)
    text_print(view->text, " (%s instructions)", TEXT_WHOLE(instructions));
  text_print(view->text, "\n");
}

/* ---- summary ----------------------------------------------------------------------------------- */

static void occupancy(const struct view *view) {
  const struct occupancy *fit = &view->result->occupancy;
  text_print(view->text, "occupancy      %u work-group%s of %u warp%s in a CU: %u of %u warps, limited by %s\n",
             fit->groups_per_cu, text_s(fit->groups_per_cu), fit->warps_per_group, text_s(fit->warps_per_group),
             fit->groups_per_cu * fit->warps_per_group, view->job->machine->cu.warps,
             occupancy_limit_rows[fit->limit].name);
}

void report_print_changed(const struct job *job, struct text *text) {
  const char *before = "changed        ";
  for (struct machine_param at = {0}; machine_param_next(&at);) {
    char value[32];
    if (!report_changed(job, at.group, at.row))
      continue;
    param_text(at.group, at.row, job->machine, value);
    text_print(text, "%s%s=%s", before, at.key, value);
    before = ", ";
  }
  if (*before == ',')
    text_print(text, "\n");
}

/* Macros defined by the launch file and the command line. */
static void print_defines(const struct job *job, struct text *text) {
  const struct program_build *build = &job->build;
  const char *before = "defined        ";
  for (size_t i = program_define(build, 0); i < build->defines.count; i = program_define(build, i + 1)) {
    text_print(text, "%s%s", before, build->defines.word[i]);
    before = ", ";
  }
  if (*before == ',')
    text_print(text, "\n");
}

static void kernel(const struct view *view) {
  const struct isa_kernel *kernel = view->launch->kernel;
  text_print(view->text, "kernel         %s in %s: registers %u, %u spilled%s\n", kernel->name,
             file_base(view->launch->program->file), kernel->registers, kernel->spilled,
             view->refitted ? " to fit cu.registers" : "");
}

/* The launches that ran at once with this one. */
static void together(const struct view *view) {
  const struct job_launch *launches = view->job->launches, *own = &launches[view->number];
  const char *before = "together       with launch";
  if (own->together < 2)
    return;
  for (size_t i = own->first; i < own->first + own->together; i++) {
    if (i == view->number)
      continue;
    text_print(view->text, "%s %zu, %s", before, i + 1, launches[i].isa.kernel->name);
    before = ", launch";
  }
  if (!view->result->functional)
    text_print(view->text, ": %s cycle%s in total", TEXT_WHOLE(view->result->together_cycles),
               text_s(view->result->together_cycles));
  text_print(view->text, "\n");
}

/* The launch's time; unknown if it was executed without timing. */
static void time_taken(const struct view *view) {
  const struct launch_result *result = view->result;
  if (result->functional)
    text_print(view->text, "timing         none, so cycles, stalls and traffic are unknown\n");
  else
    text_print(view->text, "cycles         %s = %.3f us\n", TEXT_WHOLE(result->cycles),
               (double)result->cycles / view->job->machine->cu.clock_mhz);
}

static void instructions(const struct view *view) {
  const struct launch_result *result = view->result;
  const uint64_t count = result->cu.warp_instructions;
  text_print(view->text, "instructions   %s of warps", TEXT_WHOLE(count));
  if (!result->functional)
    text_print(view->text, ", %.3f a cycle", per((double)count, (double)result->cycles));
  text_print(view->text, "; %.1f %% of their lanes were active\n",
             percent(result->cu.lane_instructions, count * view->job->machine->cu.warp_size));
}

static void summary(const struct view *view) {
  const struct machine *machine = view->job->machine;
  const struct launch_result *result = view->result;
  struct text *text = view->text;
  const size_t from = text->length;
  kernel(view);
  text_print(text, "machine        %s, %u CU%s at %u MHz\n", machine->name, machine->cu.count,
             text_s(machine->cu.count), machine->cu.clock_mhz);
  report_print_changed(view->job, text);
  print_defines(view->job, text);
  text_print(text, "NDRange        ");
  print_range(text, view->launch->global, view->launch->dimensions);
  text_print(text, " work-items in groups of ");
  print_range(text, view->launch->local, view->launch->dimensions);
  text_print(text, ": %s work-group%s", TEXT_WHOLE(result->work_groups), text_s(result->work_groups));
  if (view->launch->part_groups)
    text_print(text, ", starting at number %u", view->launch->first_group);
  text_print(text, "\n");
  time_taken(view);
  together(view);
  instructions(view);
  if (!result->functional)
    occupancy(view);
  text_fold(text, from, HEAD_WIDTH);
}

static void limits(const struct view *view) {
  struct utilization all[UTILIZATIONS];
  report_utilizations(view->job->machine, view->result, all);
  text_print(view->text, "\n%% of peak             used            peak  resource\n");
  for (size_t i = 0; i < UTILIZATIONS; i++)
    if (all[i].used > 0 && !all[i].minor)
      text_print(view->text, "%9.1f  %15s %15s  %s (%s)\n", 100 * per(all[i].used, all[i].peak),
                 TEXT_WHOLE(all[i].used + 0.5), TEXT_WHOLE(all[i].peak + 0.5), all[i].name, all[i].unit);
}

/* ---- stalls ------------------------------------------------------------------------------------ */

static void stalls(const struct view *view) {
  const struct launch_result *result = view->result;
  bool shown[STALLS] = {false};
  text_print(view->text, "\nwhere warps were   warp-cycles      %%   waiting for\n");
  for (;;) {
    int most = -1;
    for (int i = 0; i < STALLS; i++)
      if (!shown[i] && result->stalls[i] && (most < 0 || result->stalls[i] > result->stalls[most]))
        most = i;
    if (most < 0)
      break;
    shown[most] = true;
    text_print(view->text, "%-16s %13s  %5.1f   %s\n", stall_rows[most].name, TEXT_WHOLE(result->stalls[most]),
               percent(result->stalls[most], result->resident_cycles), stall_rows[most].text);
  }
  text_print(view->text, "%-16s %13s  100.0\n", "resident", TEXT_WHOLE(result->resident_cycles));
  const uint64_t tries = result->cu.pipe_retries, cycles = result->cu.pipe_retry_cycles;
  if (tries)
    text_print(
        view->text, "%-16s %13s  %5.1f   of these: %s time%s, from a try that a pipe refused to the warp's next\n",
        "retries", TEXT_WHOLE(cycles), percent(cycles, result->resident_cycles), TEXT_WHOLE(tries), text_s(tries));
}

/* ---- LDS --------------------------------------------------------------------------------------- */

/* A row: an instruction, or several with equal numbers from one source line. */
struct lds_row {
  const struct pc_result *each;
  const char *source; /* NULL: unknown */
  uint32_t pc, line;
  uint64_t instructions;
};

static int ascending(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int apart(const struct lds_row *a, const struct lds_row *b) {
  const struct pc_result *one = a->each, *other = b->each;
  int by = ascending(a->line, b->line);
  by = by ? by : ascending(one->lds_accesses, other->lds_accesses);
  by = by ? by : ascending(one->lds_passes, other->lds_passes);
  by = by ? by : ascending(one->lds_conflict_cycles, other->lds_conflict_cycles);
  by = by ? by : ascending(one->lds_max_ways, other->lds_max_ways);
  return by ? by : strcmp(a->source ? a->source : "", b->source ? b->source : "");
}

static int by_likeness(const void *a, const void *b) {
  const struct lds_row *one = a, *other = b;
  const int by = apart(one, other);
  return by ? by : ascending(one->pc, other->pc);
}

/* Worst first; ties in program order, so that every host prints the same. */
static int by_cost(const void *a, const void *b) {
  const struct lds_row *one = a, *other = b;
  int by = ascending(other->instructions * other->each->lds_conflict_cycles,
                     one->instructions * one->each->lds_conflict_cycles);
  by = by ? by : ascending(other->instructions * other->each->lds_passes, one->instructions * one->each->lds_passes);
  return by ? by : ascending(one->pc, other->pc);
}

/* Without a source line, a row shows the instruction, which differs. */
static size_t merge_rows(struct lds_row *rows, size_t count) {
  size_t kept = 0;
  qsort(rows, count, sizeof *rows, by_likeness);
  for (size_t i = 0; i < count; i++)
    if (kept && rows[i].source && apart(&rows[kept - 1], &rows[i]) == 0)
      rows[kept - 1].instructions++;
    else
      rows[kept++] = rows[i];
  qsort(rows, kept, sizeof *rows, by_cost);
  return kept;
}

static void lds_instructions(const struct view *view) {
  const struct isa_program *program = view->launch->program;
  struct lds_row *rows = need(program->count, sizeof *rows);
  size_t count = 0;
  for (uint32_t pc = 0; pc < program->count; pc++)
    if (view->result->by_pc[pc].lds_accesses)
      rows[count++] = (struct lds_row){.each = &view->result->by_pc[pc],
                                       .source = isa_source_text(program, pc),
                                       .pc = pc,
                                       .line = program_line(program, pc),
                                       .instructions = 1};
  count = merge_rows(rows, count);
  text_print(view->text, "    accesses      passes   conflict cycles  max ways   line  source\n");
  for (size_t i = 0; i < count && i < SHOWN_INSTRUCTIONS; i++) {
    const struct lds_row *row = &rows[i];
    text_print(view->text, "%12s%12s%18s%10s %6u  ", TEXT_WHOLE(row->instructions * row->each->lds_accesses),
               TEXT_WHOLE(row->instructions * row->each->lds_passes),
               TEXT_WHOLE(row->instructions * row->each->lds_conflict_cycles), TEXT_WHOLE(row->each->lds_max_ways),
               row->line);
    print_source(view, row->pc, row->instructions);
  }
  free(rows);
}

static void lds(const struct view *view) {
  const struct lds_stats *stats = &view->result->lds;
  const char *before = view->result->together > 1 ? "\nLDS, of these launches:" : "\nLDS:";
  const size_t from = view->text->length;
  if (stats->accesses) {
    text_print(
        view->text,
        "%s %s access%s in %s pass%s, %s added by conflicts (at most %s way%s); %s cycle%s of contention with %s\n",
        before, TEXT_WHOLE(stats->accesses), text_es(stats->accesses), TEXT_WHOLE(stats->passes),
        text_es(stats->passes), TEXT_WHOLE(stats->conflict_cycles), TEXT_WHOLE(view->result->lds_max_ways),
        text_s(view->result->lds_max_ways), TEXT_WHOLE(stats->contention_cycles), text_s(stats->contention_cycles),
        view->job->machine->lds.global_port == LDS_GLOBAL_SHARED ? "copies and global accesses" : "copies");
    before = "    ";
  }
  if (stats->dma_beats)
    text_print(view->text, "%s %s beat%s of copies; %s cycle%s of contention with warps\n", before,
               TEXT_WHOLE(stats->dma_beats), text_s(stats->dma_beats), TEXT_WHOLE(stats->dma_contention_cycles),
               text_s(stats->dma_contention_cycles));
  text_fold(view->text, from, 4);
  if (stats->accesses)
    lds_instructions(view);
}

/* ---- hazards and stuck warps ------------------------------------------------------------------- */

static void print_place(const struct view *view, uint32_t pc) {
  char place[PROGRAM_PLACE];
  program_place(view->launch->program, pc, place);
  text_print(view->text, "%s", place);
}

static void hazards(const struct view *view) {
  const struct launch_result *result = view->result;
  const size_t from = view->text->length;
  for (size_t i = 0; i < result->hazard_count; i++) {
    const struct isa_hazard *hazard = &result->hazards[i].first;
    const struct isa_hazard_row *row = &isa_hazard_rows[hazard->rule];
    char advice[ISA_ADVICE];
    uint64_t times;
    const size_t instructions = report_hazard_instructions(view->launch->program, result, i, &times);
    if (!instructions)
      continue;
    isa_hazard_advice(hazard->rule, 0, 0, advice);
    text_print(view->text, "\nhazard %s at ", row->rule);
    print_place(view, hazard->pc);
    text_print(view->text, ", %s time%s", TEXT_WHOLE(times), text_s(times));
    if (instructions > 1)
      text_print(view->text, " at %zu instructions", instructions);
    text_print(view->text, ": %s\n", row->text);
    text_print(view->text, "  first: work-group (%u, %u, %u), work-item %u%s%s\n  advice: %s\n", hazard->group[0],
               hazard->group[1], hazard->group[2], hazard->item, *hazard->detail ? ": " : "", hazard->detail, advice);
  }
  if (result->hazards_dropped)
    text_print(view->text, "\n%s hazard%s at further instructions %s not shown\n", TEXT_WHOLE(result->hazards_dropped),
               text_s(result->hazards_dropped), result->hazards_dropped == 1 ? "is" : "are");
  text_fold(view->text, from, 4);
}

/* If a line has several calls, the instruction distinguishes them. */
static void print_call(const struct view *view, uint32_t pc, uint32_t other) {
  print_place(view, pc);
  if (pc != other && program_same_line(view->launch->program, pc, other))
    text_print(view->text, " (instruction %u)", pc);
}

static void stuck_reason(const struct view *view, const struct stuck_warp *warp) {
  static const char *const at[STALLS] = {[STALL_BARRIER] = "a barrier",
                                         [STALL_COPY_JOIN] = "an asynchronous copy or a copy fence",
                                         [STALL_WAIT_JOIN] = "a wait"};
  const char *call = at[warp->stall] ? at[warp->stall] : "a wait";
  uint32_t elsewhere = report_elsewhere(view->result, warp);
  if (warp->pipe) {
    const bool full = warp->stall == STALL_PIPE_FULL;
    const char *state = full ? "full" : "empty";
    if (warp->spins)
      text_print(view->text, "spins on pipe '%s', which stays %s: nothing has changed for %d %s\n", warp->pipe->name,
                 state, PIPES_SPIN_CYCLES, view->result->functional ? "instructions of a warp" : "cycles");
    else
      text_print(view->text, "waits for pipe '%s', which stays %s: no warp is left to change it\n", warp->pipe->name,
                 state);
    return;
  }
  if (warp->mismatched && elsewhere != warp->pc) {
    text_print(view->text, "waits at %s, while others of its work-group wait at ", call);
    print_call(view, elsewhere, warp->pc);
    text_print(view->text, "\n");
  } else if (warp->missing) {
    text_print(view->text, "waits at %s for %u warp%s of its work-group, of which %u ha%s exited\n", call,
               warp->missing, text_s(warp->missing), warp->exited, warp->exited == 1 ? "s" : "ve");
  } else if (warp->phase) {
    text_print(view->text, "waits for a phase of an mbarrier, but no warp is left to arrive\n");
  } else if (warp->stall == STALL_COPY_WAIT && warp->event) {
    text_print(view->text, "waits for event %u, which nothing completes\n", warp->event);
  } else {
    text_print(view->text, "waits for %s\n", stall_rows[warp->stall].text);
  }
}

/* The known error of similar launches. */
static void fidelity(const struct view *view) {
  const struct fidelity of = fidelity_of(view->job, view->number, view->result, view->measured);
  char *text = fidelity_sentence(&of, view->job);
  text_paragraph(view->text, text);
  free(text);
}

static void stuck(const struct view *view) {
  const struct launch_result *result = view->result;
  size_t kept = result->stuck_count < RESULT_STUCK ? result->stuck_count : RESULT_STUCK;
  for (size_t i = 0; i < kept; i++) {
    const struct stuck_warp *warp = &result->stuck[i];
    text_print(view->text, "  CU %u, work-group (%u, %u, %u), warp %u at ", warp->cu, warp->group[0], warp->group[1],
               warp->group[2], warp->warp);
    print_call(view, warp->pc, warp->mismatched ? report_elsewhere(result, warp) : warp->pc);
    text_print(view->text, warp->poll.lanes ? ": " : " ");
    if (warp->poll.lanes) {
      run_poll(result, warp, view->text);
      text_print(view->text, "\n");
    } else {
      stuck_reason(view, warp);
    }
  }
  if (kept < result->stuck_count)
    text_print(view->text, "  ... and %zu more\n", result->stuck_count - kept);
}

/* For a launch without timing: that it did not finish, and why. */
static void unfinished(const struct view *view) {
  const struct launch_result *result = view->result;
  if (result->end == END_CYCLE_LIMIT)
    text_print(view->text,
               "\nStopped: without timing, the cycle limit counts a warp's instructions, and one has reached it.\n");
  if (result->end != END_DEADLOCK)
    return;
  text_print(view->text, "\nDeadlock: %zu warp%s forever.\n", result->stuck_count,
             result->stuck_count == 1 ? " waits" : "s wait");
  stuck(view);
}

/* What bounds the launch, or why it did not finish. */
static void sentence(const struct view *view) {
  const struct launch_result *result = view->result;
  char *text = report_bottleneck(view->job->machine, result, view->tried);
  text_print(view->text, "\n");
  text_paragraph(view->text, text);
  free(text);
  if (view->why && view->tried)
    report_why(view->job->machine, view->tried, view->text);
  if (!view->tried && result->end == END_FINISHED)
    text_print(view->text, "(Judged by counters alone; --why lifts each limit to be sure.)\n");
  if (result->end == END_FINISHED)
    fidelity(view);
  stuck(view);
}

/* ---- the report -------------------------------------------------------------------------------- */

static void traffic(const struct view *view) {
  const struct machine *machine = view->job->machine;
  const struct launch_result *result = view->result;
  const size_t from = view->text->length;
  report_copies(machine, result, view->text);
  report_hiding(result, view->text);
  report_memory(machine, result, view->text);
  text_fold(view->text, from, 4);
}

static void pipes(const struct view *view) {
  const size_t from = view->text->length;
  for (size_t i = 0; i < view->result->pipe_count; i++)
    report_pipe(view->result, &view->result->pipes[i], view->text);
  text_fold(view->text, from, 4);
}

static void costs(const struct view *view) {
  sentence(view);
  limits(view);
  stalls(view);
  lds(view);
  traffic(view);
}

static void verdicts(const struct report *report, struct text *text) {
  if (report->verdict_count)
    text_print(text, "\n");
  for (size_t i = 0; i < report->verdict_count; i++) {
    const struct verdict *verdict = &report->verdicts[i];
    text_print(text, "check %s (%s): %s%s\n", verdict->what, verdict->mode, verdict->passed ? "passed" : "FAILED, ",
               verdict->text);
  }
}

/* How to go on; not after a launch that did not finish. */
static void next(const struct report *report, struct text *text) {
  for (size_t i = 0; i < report->count; i++)
    if (report->results[i].end != END_FINISHED)
      return;
  text_print(text, "\n");
  text_paragraph(text, "Next: " REPORT_NEXT);
}

char *report_text(const struct report *report) {
  const enum fidelity_machine measured = report_measured(report);
  struct text text = {0};
  for (size_t i = 0; i < report->count; i++) {
    const struct view view = {.job = report->job,
                              .launch = &report->job->launches[i].isa,
                              .result = &report->results[i],
                              .text = &text,
                              .refitted = report->job->launches[i].refitted,
                              .number = i,
                              .tried = report_tried(report, i),
                              .measured = measured,
                              .why = report->why};
    if (report->job->launch_count > 1)
      text_print(&text, "%s======== launch %zu of %zu ========\n", i ? "\n" : "", i + 1, report->job->launch_count);
    summary(&view);
    if (view.result->functional)
      unfinished(&view);
    else
      costs(&view);
    pipes(&view);
    hazards(&view);
  }
  verdicts(report, &text);
  next(report, &text);
  return text.data;
}
