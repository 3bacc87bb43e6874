#include "tools/docs/manual.h"

#include "models/result.h"
#include "sim/check/report.h"
#include "sim/core/timeline.h"
#include "sim/launch/machines.h"
#include "sim/report/fidelity.h"
#include "sim/report/params.h"
#include "sim/report/report.h"

/* ---- parameters -------------------------------------------------------------------------------- */

static const char machine_format[] =
    "\n## Machine files\n\n"
    "`--machine FILE` and a launch file's `machine` take a built-in machine's name or an INI file, known by its `/` or "
    "its ending:\n\n"
    "```ini\n"
    "; mine.ini: the teaching machine with a slower, narrower DMA engine\n"
    "base = teaching        ; first, if at all: a built-in machine, or a file beside this one\n"
    "\n"
    "[dma]\n"
    "channels = 2\n"
    "setup = 200            ; cycles\n"
    "\n"
    "[lds]\n"
    "size = 128K\n"
    "```\n\n"
    "- A section is a group of parameters, `[cu]`, `[lds]`, `[dma]` or `[mem]`; a key in it is a parameter without "
    "the group's name. A key may be set once in a file.\n"
    "- Parameters not named keep the base's value, or without a `base` their default. A base may have a base, eight "
    "deep.\n"
    "- Comments stand after `;`, or on a line of their own after `;` or `#`.\n"
    "- Numbers are whole, decimal or `0x` hexadecimal, and may end in K, M or G (powers of 1024). The same holds for "
    "`--set` and a launch file's `set`.\n"
    "- `warpwait machines NAME` prints a built-in machine's file: a model for your own. A mistake in a file is "
    "reported in one line: where it is, the value, and what is legal.\n";

char *params_manual(void) {
  struct text text = {0};
  text_print(&text, "# Parameters\n\n"
                    "Made by `make docs` from the rows in `*.params.def`. `warpwait params --machine NAME` shows the "
                    "values of a machine; `--set dma.channels=2` and a launch file's `set` change one.\n");
  text_print(&text, "%s", machine_format);
  report_params(NULL, NULL, true, &text);
  text_print(&text, "\n## Built-in machines\n");
  for (size_t i = 0; i < preset_count; i++)
    text_print(&text, "\n### %s\n\n```ini\n%s```\n", presets[i].name, presets[i].text);
  return text.data;
}

/* ---- the report -------------------------------------------------------------------------------- */

static void stat_table(const struct stat_group *group, const char *key, struct text *text) {
  text_print(text, "\n## %s (`%s`)\n\n| key | unit | meaning |\n|---|---|---|\n", group->title, key);
  for (size_t i = 0; i < group->count; i++)
    text_print(text, "| `%s.%s` | %s | %s |\n", key, group->rows[i].name, group->rows[i].unit, group->rows[i].text);
}

/* The signals of --vcd, which island_probe() receives. */
static const struct {
  const char *name, *text;
} signals[] = {
    {"cuN.cu.resident_warps", "Warps in a slot of the CU."},
    {"cuN.cu.issued", "Instructions issued in this cycle."},
    {"cuN.lds.warp_banks", "LDS banks that work for a warp in this cycle."},
    {"cuN.lds.dma_banks", "LDS banks that work for a DMA engine in this cycle."},
    {"cuN.memory_port.messages", "Messages that the CU has sent to the memory so far: a running total."},
    {"cuN.dmaM.queue", "Descriptors that wait in the engine's queue."},
    {"cuN.dmaM.channels", "Channels that hold a descriptor."},
    {"cuN.dmaM.outstanding", "Memory requests of the engine in flight."},
    {"uncore.dispatcher.groups_left", "Work-groups that no CU has been given yet."},
    {"uncore.memory.in_flight", "Accesses in flight in the L2 and DRAM."},
};

static const char bounds[] =
    "\n## What bounds a launch\n\n"
    "`bottleneck` names the limit of the machine that costs the launch most. It is found as "
    "[`warpwait explain`](explain.md) finds it: the launch is replayed on machines each of which has one "
    "[limit](explain.md#the-limits) lifted, and the one without which it takes fewest cycles binds. Of a launch that "
    "is tried whole, a report names the limit that `explain` names first. A resource that is held while it waits for "
    "another does not bind: "
    "DMA channels whose requests wait for room are busy, but more of them would save nothing. Limits that save as much "
    "to within 2 % of the cycles are both named; a limit that saves no more than 1 % of the cycles, or 16, is none. "
    "A latency and room for what waits for it (requests, channels, warps) are [one "
    "limit](explain.md#the-limit-that-a-report-names) if lifting both shows that they cost the same cycles. "
    "`--why` adds the best two machines, as options to `--set`.\n\n"
    "This takes some 20 replays, and is done for runs of up to 200,000 warp-instructions with up to 256 MiB of "
    "buffers. "
    "One launch that is longer is judged by its first work-groups, as many as that allows, if they fill the machine at "
    "least three times; the sentence says so. `--why` lifts limits of whole runs, however long, and `--why=no` of "
    "none. "
    "A launch of which no limit was lifted, as that of every point of a sweep, is judged by "
    "`utilization` and `stalls` alone, and the sentence begins with \"Likely\": these accounts say what is busy and "
    "what "
    "is waited for, not what would help. The first rule that holds counts:\n\n"
    "1. A resource is at 80 % of its peak or above: the one with the highest share. However well the rest were hidden, "
    "the launch would take no less than that share of its time. Of launches that run at once, only issue slots and "
    "units "
    "count here: what they share may be busy with the others' work.\n"
    "2. Warps wait: buckets are added up by what they wait for (execution units: `dependency`, `unit`; issue slots: "
    "`not_selected`; the LDS: `lds`, `lds_conflict`, `lds_contention`, `lds_queue`; global memory: `memory`, "
    "`memory_queue`, `fence`, `drain`; texels of images: `texture`; copies: `copy_wait`, `copy_data`, `dma_queue`; "
    "other warps: `barrier`, "
    "`copy_join`, `wait_join`; pipes: `pipe`, `pipe_empty`, `pipe_full`), and the largest bucket of the largest sum is "
    "the one "
    "that counts. If a resource that serves it is "
    "at 60 % of its peak or above (units for `unit`, issue slots for `not_selected`, LDS passes for `lds` and "
    "`lds_queue`, links, L2 and DRAM for global memory, `pipe` and copies, texture units for `texture`, the DMA "
    "engines' bandwidth, channels and "
    "`dma.outstanding` for copies), it is named: requests come in bursts. If none is, the latency is named, or what "
    "else the bucket stands for.\n"
    "3. Nothing waits.\n\n"
    "DMA channels are held for as long as a copy takes, however slow that is. So they bound a launch only if copies "
    "wait for one: if on average at least half a descriptor waits in an engine's queue while it works "
    "(`dma.queue_mean`). An execution unit has a row in the text report if it is at 10 % of its peak or above and its "
    "`cu.*_interval` is more than a cycle: with an interval of one, it is never busier than the issue slots.\n\n"
    "At the cycle limit, the sentence says which lanes poll what: those that repeat a load or an atomic operation, "
    "always with the same addresses, whose result decides what they do. Other lanes of the warp that have not exited "
    "wait for "
    "these to reconverge. If the lanes poll by an exchange, as a spin lock does, the one that waits got what they "
    "want. `stuck[]` has all such warps.\n";

/* Explains figures that one would expect to be equal, or to add up. */
static const char differences[] =
    "\nFigures that count different things may differ by a few cycles:\n\n"
    "- `copy_wait` counts warps, and `hiding.exposed_cycles` work-groups, from the last warp's arrival at the wait on. "
    "In its first cycle that warp issues the wait, which is `issued`: of a work-group of one warp, `copy_wait` is a "
    "cycle less for each wait.\n"
    "- `lds_conflict` is what warps waited for results because of conflicts, and `lds.conflict_cycles` the passes that "
    "these added. Nobody waits for the result of a write: its passes are in no bucket, or in `fence` or `barrier` if a "
    "barrier waits for them. And one pass may keep several warps waiting.\n"
    "- `cycles` begins with the launch, and the peaks of `utilization` with the first work-group in a CU, "
    "`cu.dispatch_latency` later; but those of the L2 and DRAM count `together_cycles`.\n"
    "- `pipe_full` and `pipe_empty` are the wait for an answer that was a refusal. What else a try takes, and all of "
    "it "
    "until the next try, is in the buckets of what the kernel does there: of a work-group's reservation in `barrier`, "
    "`fence` and `lds`. `cu.pipe_retry_cycles` has it all, the row `retries` of the text.\n";

/* Which measurements a launch is compared with, and how many there are for each kind of operation. */
static void fidelity_manual(struct text *text) {
  text_print(
      text,
      "\n## How far off a report is\n\n"
      "The machine `h200` was compared with measurements of an NVIDIA H200 ([accuracy.md](accuracy.md)). The "
      "object `fidelity`, and the line \"Fidelity: ...\" below the sentence that names the bottleneck, say how "
      "far off such launches are known to be. The class of a launch is what its accounts name as the limit (the "
      "rule above, whatever lifting limits says) and its main kinds of operations: those with more than 1 %% of the "
      "warps' instructions, and copies, however few. Of the errors of the measurements in that class, absolute "
      "and relative to what was measured, the report has the median and the 90th percentile. If there are fewer "
      "than %u of them, those of all launches with that limit count, and if these are too few, all measurements; "
      "there each class counts alike, however many measurements it has.\n\n"
      "\"Not validated\" are kinds of operations that fewer than %u measurements have. Atomics of several "
      "work-groups count as contended, as any two may update the same word.\n\n"
      "Parameters changed by `--set` or a launch file, a machine file of your own and the other built-in machines "
      "were not measured; their reports say so and have no figures. Sizes are no part of a class: a launch far "
      "longer than the measured ones may be further off.\n\n"
      "| kind | | measurements |\n|---|---|---|\n",
      fidelity_fewest, fidelity_fewest);
  for (size_t i = 0; i < FIDELITY_KINDS; i++)
    text_print(text, "| %s | %s | %s |\n", fidelity_kind_rows[i].name, fidelity_kind_rows[i].main ? "main" : "",
               TEXT_WHOLE(fidelity_kind_rows[i].rows));
}

char *report_manual(void) {
  struct text text = {0};
  text_print(
      &text,
      "# The report\n\n"
      "Made by `make docs`. Names are those of the JSON report, below `launches[]` where nothing else is "
      "said, and `units` uses them too; the text report shows a part of them. "
      "All counters start at "
      "zero with each launch, or launches that run at once, and are summed over compute units. Launches and arguments "
      "are counted from 1 "
      "in words (`launch 2 of 6`) and from 0 in paths (`launches[1]`).\n\n| key | unit | meaning |\n|---|---|---|\n");
  for (size_t i = 0; i < report_key_count; i++)
    text_print(&text, "| `%s` | %s | %s |\n", report_keys[i].key, report_keys[i].unit, report_keys[i].text);
  text_print(&text, "%s", bounds);
  fidelity_manual(&text);
  text_print(&text, "\n## Where warps are (`stalls`)\n\n| bucket | the warp waits for |\n|---|---|\n");
  for (size_t i = 0; i < STALLS; i++)
    text_print(&text, "| `%s` | %s |\n", stall_rows[i].name, stall_rows[i].text);
  text_print(&text, "%s", differences);
  stat_table(&cu_stat_group, "cu", &text);
  stat_table(&lds_stat_group, "lds", &text);
  stat_table(&dma_stat_group, "dma", &text);
  stat_table(&mem_stat_group, "memory", &text);
  stat_table(&isa_pipe_stat_group, "pipes[]", &text);
  text_print(&text, "\n## Waveforms (`--vcd`)\n\nA value a cycle of `cu.clock_mhz`, for GTKWave. N counts CUs, M the "
                    "DMA engines of one, from 0.\n\n| signal | value |\n|---|---|\n");
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    text_print(&text, "| `%s` | %s |\n", signals[i].name, signals[i].text);
  return text.data;
}

char *hazards_manual(void) {
  struct text text = {0};
  text_print(
      &text,
      "# Hazards\n\n"
      "Made by `make docs` from `isa/hazards.def`. G, X and N rules are numbered after the restrictions that OpenCL C "
      "puts on copies, events and copy fences, P, Q and R rules after those on pipes; M rules are our own, for "
      "ordinary accesses.\n\n"
      "`warpwait check` finds all of them ([check.md](check.md)). `warpwait run` finds those that are cheap to detect. "
      "It "
      "reports each once per instruction, with its first occurrence and a count, and prints the first one to stderr; a "
      "hazard does not change its exit status.\n\n"
      "| rule | | found by | what is wrong | advice |\n|---|---|---|---|---|\n");
  for (enum isa_hazard_rule rule = 0; rule < HAZARDS; rule++) {
    const struct isa_hazard_row *row = &isa_hazard_rows[rule];
    char advice[ISA_ADVICE];
    isa_hazard_advice(rule, 0, 0, advice);
    text_print(&text, "| `%s` | %s | %s | %s | %s |\n", row->rule, isa_hazard_levels[row->level],
               row->by == ISA_BY_RUN ? "`run`, `check`" : "`check`", row->text, advice);
  }
  return text.data;
}

char *check_manual(void) {
  struct text text = {0};
  text_print(&text, "# The JSON report of `warpwait check`\n\n"
                    "Made by `make docs` from `sim/check/report.keys.def`. [check.md](check.md) says how to get it.\n\n"
                    "| key | meaning |\n|---|---|\n");
  for (size_t i = 0; i < check_key_count; i++)
    text_print(&text, "| `%s` | %s |\n", check_keys[i].key, check_keys[i].text);
  return text.data;
}

/* ---- timelines --------------------------------------------------------------------------------- */

static void event_rows(enum timeline_block block, struct text *text) {
  text_print(text, "\n## `%s`: %s\n\n| kind, field | type | |\n|---|---|---|\n", timeline_block_rows[block].name,
             timeline_block_rows[block].text);
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
    const struct timeline_kind_row *row = &timeline_kind_rows[kind];
    if (row->block != block)
      continue;
    text_print(text, "| **`%s`** | | **%s** |\n| `unit` | number | %s |\n", row->name, row->text, row->unit);
    for (unsigned i = 0; i < row->fields; i++) {
      text_print(text, "| `%s` | ", row->field[i].name);
      for (const char *at = row->field[i].type; *at; at++)
        text_print(text, *at == '|' ? ", " : "%c", *at);
      text_print(text, " | %s |\n", row->field[i].text);
    }
  }
}

char *timeline_manual(void) {
  struct text text = {0};
  text_print(&text,
             "# Events of timelines\n\n"
             "Made by `make docs` from `sim/core/timeline.def`. [timeline.md](timeline.md) says how to get them.\n\n"
             "Every event has a compute unit `cu`, a `unit` of its block, and cycles: it takes those from `from` up "
             "to, but without, `to`. Types: `mask`, bits, of which bit 0 is the first lane or bank; `flag`, 0 or 1; "
             "`pc`, an instruction of the launch in the same event; `cycle`, one near the event's own; `stall`, a "
             "bucket of [the report](report.md#where-warps-are-stalls); words, of which it is one.\n");
  for (unsigned block = 0; block < TIMELINE_BLOCKS; block++)
    event_rows((enum timeline_block)block, &text);
  return text.data;
}
