/* Sections of the text report: copies, memory, pipes. */

#include "models/machine.h"
#include "sim/base/text.h"
#include "sim/core/histogram.h"
#include "sim/report/report.h"

enum { HISTOGRAM_ROWS = 8, HISTOGRAM_WIDTH = 40 };

static double percent(uint64_t count, uint64_t whole) { return 100 * per((double)count, (double)whole); }

static double mean(uint64_t sum, uint64_t count) { return per((double)sum, (double)count); }

struct part {
  uint64_t count;
  const char *noun, *rest; /* "request", " held"; the noun may be missing */
};

/* "3 strided, 1 request refused": the parts that are not 0; returns whether there are any. */
static bool print_parts(struct text *text, const char *head, const struct part *parts, size_t count) {
  const char *before = head;
  for (size_t i = 0; i < count; i++)
    if (parts[i].count) {
      const char *noun = parts[i].noun;
      text_print(text, "%s%s %s%s%s", before, TEXT_WHOLE(parts[i].count), noun ? noun : "",
                 noun ? text_s(parts[i].count) : "", parts[i].rest);
      before = ", ";
    }
  return before != head;
}

/* ---- latency of copies -------------------------------------------------------------------------- */

static void bar(struct text *text, uint64_t low, uint64_t high, uint64_t count, uint64_t most) {
  static const char stars[] = "****************************************";
  int width = (int)div_up(count * HISTOGRAM_WIDTH, most ? most : 1);
  text_print(text, "  %8s - %-8s %8s%s%.*s\n", TEXT_WHOLE(low), TEXT_WHOLE(high), TEXT_WHOLE(count), width ? "  " : "",
             width, stars);
}

/* Each row starts at a bin of the histogram and is at least as wide as its widest bin in use, so that no row is finer
 * than the histogram. */
static void latency_rows(const struct histogram *latency, struct text *text) {
  unsigned first = 0, last = HISTOGRAM_BINS - 2;
  while (!latency->bin[first])
    first++;
  while (!latency->bin[last])
    last--;
  uint64_t start = histogram_low(first), finest = histogram_low(last + 1) - histogram_low(last);
  uint64_t width = cycle_max(div_up(latency->maximum - start + 1, HISTOGRAM_ROWS), finest);
  uint64_t row[HISTOGRAM_ROWS] = {0}, most = 0;
  for (unsigned bin = first; bin <= last; bin++)
    row[(histogram_low(bin) - start) / width] += latency->bin[bin];
  for (size_t i = 0; i < HISTOGRAM_ROWS; i++)
    most = cycle_max(most, row[i]);
  text_print(text, "  cycles from issue to completion\n");
  for (size_t i = 0; i < HISTOGRAM_ROWS && start + i * width <= latency->maximum; i++) {
    uint64_t low = start + i * width, high = low + width - 1;
    bar(text, cycle_max(low, latency->minimum), cycle_min(high, latency->maximum), row[i], most);
  }
}

static void latencies(const struct histogram *latency, struct text *text) {
  text_print(text, "  latency: min %s, mean %.1f, p50 %s, p99 %s, max %s\n", TEXT_WHOLE(latency->minimum),
             mean(latency->sum, latency->count), TEXT_WHOLE(histogram_quantile(latency, 50)),
             TEXT_WHOLE(histogram_quantile(latency, 99)), TEXT_WHOLE(latency->maximum));
  if (latency->maximum > latency->minimum)
    latency_rows(latency, text);
}

/* ---- copies by engines -------------------------------------------------------------------------- */

/* The copies that the kernel called, and the descriptors that engines made of them; prints nothing if all are plain and
 * one-dimensional. */
static void kinds(const struct launch_result *result, struct text *text) {
  const struct cu_stats *cu = &result->cu;
  const struct dma_stats *dma = &result->dma;
  const struct part called[] = {{cu->copies_plain, NULL, "plain"},
                                {cu->copies_strided, NULL, "strided"},
                                {cu->copies_2d, NULL, "2D"},
                                {cu->copies_3d, NULL, "3D"}};
  const struct part seen[] = {{report_one_dimensional(dma), NULL, "of one dimension"},
                              {dma->descriptors_2d, NULL, "of two dimensions"},
                              {dma->descriptors_3d, NULL, "of three dimensions"}};
  if (cu->copies == cu->copies_plain && dma->descriptors == report_one_dimensional(dma))
    return;
  print_parts(text, "  called: ", called, sizeof called / sizeof *called);
  print_parts(text, "; descriptors: ", seen, sizeof seen / sizeof *seen);
  if (dma->splits)
    text_print(text, "; %s split into %s part%s", TEXT_WHOLE(dma->splits), TEXT_WHOLE(dma->parts), text_s(dma->parts));
  text_print(text, "\n  %s plane%s of %.2f lines; %.1f bytes a line", TEXT_WHOLE(dma->planes), text_s(dma->planes),
             mean(dma->lines, dma->planes), mean(dma->bytes, dma->lines));
  if (dma->packs)
    text_print(text, "; %s request%s of several lines", TEXT_WHOLE(dma->packs), text_s(dma->packs));
  text_print(text, "\n");
}

static void efficiency(const struct launch_result *result, struct text *text) {
  const struct mem_stats *mem = &result->mem;
  uint64_t requests = mem->dma_reads + mem->dma_writes;
  if (requests)
    text_print(
        text, "  %.1f bytes a request, %.1f a burst; %.1f %% of the bytes moved were wanted: %s of %s in sectors\n",
        mean(mem->dma_bytes, requests), mean(mem->dma_bytes, result->dma.bursts),
        percent(mem->dma_bytes, mem->dma_sector_bytes), TEXT_WHOLE(mem->dma_bytes), TEXT_WHOLE(mem->dma_sector_bytes));
}

/* ---- over time ---------------------------------------------------------------------------------- */

/* The interval with the highest mean. */
static uint32_t highest(const struct launch_result *result, const uint64_t sum[TIMELINE]) {
  uint32_t at = 0;
  for (uint32_t i = 1; i < dma_timeline_intervals(&result->dma_timeline, result->together_cycles); i++)
    if (sum[i] * dma_timeline_length(&result->dma_timeline, result->together_cycles, at) >
        sum[at] * dma_timeline_length(&result->dma_timeline, result->together_cycles, i))
      at = i;
  return at;
}

/* One character per interval, in eighths of the highest value, rounded up: only 0 is blank. */
static void over_time(const struct machine *machine, const struct launch_result *result, const char *name,
                      const uint64_t sum[TIMELINE], uint32_t most, struct text *text) {
  static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const struct dma_timeline *timeline = &result->dma_timeline;
  uint32_t peak = highest(result, sum), count = dma_timeline_intervals(timeline, result->together_cycles);
  if (!count || !sum[peak])
    return;
  uint64_t peak_cycles = dma_timeline_length(timeline, result->together_cycles, peak);
  text_print(text, "    %-9s|", name);
  for (uint32_t i = 0; i < count; i++)
    text_print(text, "%s",
               blocks[div_up(8 * sum[i] * peak_cycles,
                             sum[peak] * dma_timeline_length(timeline, result->together_cycles, i))]);
  text_print(text, "| peak %.2f of %u\n", report_engine_mean(machine, result, sum, peak), most);
}

/* What channels did while they held a descriptor: the nonzero accounts, which add up to that time. */
static void channels(const struct dma_stats *stats, struct text *text) {
  const struct {
    uint64_t cycles;
    const char *what;
  } accounts[] = {{stats->setup_cycles, "setting up"},
                  {stats->sending_cycles, "sending"},
                  {stats->turn_cycles, "waiting for their turn"},
                  {stats->room_cycles, "waiting for room in dma.outstanding"},
                  {stats->quota_cycles, "waiting for room in dma.quota"},
                  {stats->fence_cycles, "waiting for a fence"},
                  {stats->data_cycles, "waiting for data"}};
  const char *before = "  busy channels were ";
  for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++)
    if (accounts[i].cycles) {
      text_print(text, "%s%s %.1f %%", before, accounts[i].what, percent(accounts[i].cycles, stats->channel_cycles));
      before = ", ";
    }
  text_print(text, "\n");
}

static void timeline(const struct machine *machine, const struct launch_result *result, struct text *text) {
  text_print(text, "  an engine over time, %s cycle%s a character\n",
             TEXT_WHOLE((uint64_t)1 << result->dma_timeline.shift), text_s((uint64_t)1 << result->dma_timeline.shift));
  over_time(machine, result, "channels", result->dma_timeline.held, machine->dma.channels, text);
  over_time(machine, result, "queue", result->dma_timeline.waiting, machine->dma.queue, text);
}

/* ---- copies ------------------------------------------------------------------------------------- */

static void by_warps(const struct cu_stats *cu, struct text *text) {
  text_print(text,
             "\ncopies by warps: %s, %s byte%s in total, in %s access%s to global memory (%.1f bytes each)\n  they "
             "took %s issue slot%s, %.1f %% of all used ones\n",
             TEXT_WHOLE(cu->warp_copies), TEXT_WHOLE(cu->copy_bytes), text_s(cu->copy_bytes),
             TEXT_WHOLE(cu->copy_accesses), text_es(cu->copy_accesses), mean(cu->copy_bytes, cu->copy_accesses),
             TEXT_WHOLE(cu->copy_slots), text_s(cu->copy_slots),
             percent(cu->copy_slots, cu->warp_instructions + cu->copy_slots + cu->copy_retries));
}

static void by_engines(const struct machine *machine, const struct launch_result *result, struct text *text) {
  const struct dma_stats *stats = &result->dma;
  text_print(text,
             "\nDMA%s: %s descriptor%s, %s byte%s, %.2f bytes a busy cycle; queue %.2f on average, %u at "
             "most",
             report_of_all(result), TEXT_WHOLE(stats->descriptors), text_s(stats->descriptors),
             TEXT_WHOLE(stats->bytes), text_s(stats->bytes), mean(stats->bytes, stats->busy_cycles),
             mean(stats->queue_cycles, stats->busy_cycles), result->dma_queue_peak);
  if (result->cu.copy_retries)
    text_print(text, ", %s further attempt%s while full", TEXT_WHOLE(result->cu.copy_retries),
               text_s(result->cu.copy_retries));
  text_print(text, "\n");
  kinds(result, text);
  efficiency(result, text);
  channels(stats, text);
  if (stats->descriptors > 1)
    timeline(machine, result, text);
}

void report_copies(const struct machine *machine, const struct launch_result *result, struct text *text) {
  if (result->cu.warp_copies)
    by_warps(&result->cu, text);
  else if (result->dma.descriptors)
    by_engines(machine, result, text);
  else
    return;
  latencies(launch_copy_latency(result), text);
}

static bool copies_abandoned(const struct launch_result *result) {
  for (size_t i = 0; i < result->hazard_count; i++)
    if (result->hazards[i].first.rule == HAZARD_X10)
      return true;
  return false;
}

void report_hiding(const struct launch_result *result, struct text *text) {
  const struct cu_stats *cu = &result->cu;
  if (!cu->copy_cycles)
    return;
  text_print(text,
             "\nhiding: work-groups had copies in flight for %s group-cycles; %s (%.1f %%) were hidden, %s exposed at "
             "waits and full queues%s\n",
             TEXT_WHOLE(cu->copy_cycles), TEXT_WHOLE(cu->copy_cycles - cu->exposed_cycles),
             percent(cu->copy_cycles - cu->exposed_cycles, cu->copy_cycles), TEXT_WHOLE(cu->exposed_cycles),
             copies_abandoned(result) ? " (copies that no warp waited for count as hidden)" : "");
}

/* ---- memory ------------------------------------------------------------------------------------- */

static void l2(const struct machine *machine, const struct mem_stats *stats, struct text *text) {
  uint64_t lines = stats->l2_hits + stats->l2_misses;
  text_print(text, "\n  ");
  if (lines)
    text_print(text, "L2: %s of %s line%s hit (%.1f %%), %s written back; ", TEXT_WHOLE(stats->l2_hits),
               TEXT_WHOLE(lines), text_s(lines), percent(stats->l2_hits, lines), TEXT_WHOLE(stats->l2_writebacks));
  text_print(text, "bytes: link up %s, down %s, L2 %s, DRAM %s\n", TEXT_WHOLE(stats->link_up_bytes),
             TEXT_WHOLE(stats->link_down_bytes), TEXT_WHOLE(stats->l2_bytes), TEXT_WHOLE(stats->dram_bytes));
  if (machine->mem.l2_slices > 1 && stats->l2_bytes)
    text_print(text, "  L2 slices: the busiest of %u passed %.2f times the mean\n", machine->mem.l2_slices,
               report_l2_imbalance(machine, stats));
}

/* What misses and updates waited for, if anything. */
static void l2_waits(const struct mem_stats *stats, struct text *text) {
  const struct part fills[] = {{stats->l2_merges, "merge", ""},
                               {stats->l2_merges_refused, NULL, "refused"},
                               {stats->l2_mshr_full_cycles, "cycle", " that misses waited for a free MSHR"}};
  if (print_parts(text, "  L2 fills: ", fills, sizeof fills / sizeof *fills))
    text_print(text, "\n");
  if (stats->l2_prefetches_dropped)
    text_print(text, "  L2 prefetches: %s line%s dropped because no MSHR was free\n",
               TEXT_WHOLE(stats->l2_prefetches_dropped), text_s(stats->l2_prefetches_dropped));
  if (stats->l2_atomic_cycles)
    text_print(text, "  L2 atomics: updates held slices for %s cycle%s longer than their bytes took\n",
               TEXT_WHOLE(stats->l2_atomic_cycles), text_s(stats->l2_atomic_cycles));
}

static void dram(const struct machine *machine, const struct mem_stats *stats, struct text *text) {
  uint64_t accesses = report_row_accesses(stats);
  if (stats->l2_bypassed)
    text_print(text, "  past the L2: %s sector%s, %s bytes\n", TEXT_WHOLE(stats->l2_bypassed),
               text_s(stats->l2_bypassed), TEXT_WHOLE(stats->l2_bypassed * machine->mem.sector));
  if (accesses)
    text_print(text, "  DRAM rows: %.1f %% of %s access%s hit, %.1f %% missed, %.1f %% in conflict\n",
               percent(stats->dram_row_hits, accesses), TEXT_WHOLE(accesses), text_es(accesses),
               percent(stats->dram_row_misses, accesses), percent(stats->dram_row_conflicts, accesses));
  if (accesses && machine->mem.dram_channels > 1)
    text_print(text, "  DRAM channels: the busiest of %u passed %.2f times the mean\n", machine->mem.dram_channels,
               report_dram_imbalance(machine, stats));
  if (stats->dram_refresh_stalls)
    text_print(text, "  DRAM refreshes delayed accesses by %s cycle%s in total\n",
               TEXT_WHOLE(stats->dram_refresh_stalls), text_s(stats->dram_refresh_stalls));
  const struct part pending[] = {{stats->dram_early_bytes, "byte", " left by earlier launches"},
                                 {stats->dram_late_bytes, "byte", " left to pass after the end"}};
  if (print_parts(text, "  DRAM: ", pending, sizeof pending / sizeof *pending))
    text_print(text, "\n");
  if (stats->outside_requests)
    text_print(text, "  outside memory: %s transaction%s, %s error%s\n", TEXT_WHOLE(stats->outside_requests),
               text_s(stats->outside_requests), TEXT_WHOLE(stats->outside_errors), text_s(stats->outside_errors));
}

/* Image reads. */
static void textures(const struct cu_stats *cu, struct text *text) {
  const uint64_t sectors = cu->texture_hits + cu->texture_misses;
  if (cu->texture_quads)
    text_print(text, "\nimages: %s quad%s of lanes read %s texel%s; %.1f %% of %s sector%s hit the texture cache\n",
               TEXT_WHOLE(cu->texture_quads), text_s(cu->texture_quads), TEXT_WHOLE(cu->texture_texels),
               text_s(cu->texture_texels), percent(cu->texture_hits, sectors), TEXT_WHOLE(sectors), text_s(sectors));
}

void report_memory(const struct machine *machine, const struct launch_result *result, struct text *text) {
  const struct mem_stats *stats = &result->mem;
  uint64_t accesses = stats->loads + stats->stores + stats->atomics + stats->prefetches;
  uint64_t requests = stats->dma_reads + stats->dma_writes;
  textures(&result->cu, text);
  if (!accesses && !requests)
    return;
  text_print(text, "\nmemory%s: ", report_of_all(result));
  if (accesses)
    text_print(text, "%s access%s of warps (%.2f sectors each)%s", TEXT_WHOLE(accesses), text_es(accesses),
               mean(stats->sectors, accesses), requests ? ", " : "");
  if (requests)
    text_print(text, "%s request%s of DMA engines", TEXT_WHOLE(requests), text_s(requests));
  l2(machine, stats, text);
  l2_waits(stats, text);
  dram(machine, stats, text);
}

/* ---- pipes -------------------------------------------------------------------------------------- */

void report_pipe(const struct launch_result *result, const struct pipe_result *at, struct text *text) {
  const struct isa_pipe_stats *stats = &at->stats;
  double held = mean(stats->packet_cycles, result->together_cycles);
  const struct part requests[] = {{stats->reservations, "reservation", ""},
                                  {stats->empty, "request", " refused, pipe empty"},
                                  {stats->full, "request", " refused, pipe full"},
                                  {stats->over_limit, "request", " refused, over the limit"},
                                  {stats->held, "request", " held until granted"}};
  text_print(text, "\npipe %s%s: room for %u packet%s of %u byte%s; %s written, %s read, %s left\n", at->pipe->name,
             report_of_all(result), at->pipe->max_packets, text_s(at->pipe->max_packets), at->pipe->packet_size,
             text_s(at->pipe->packet_size), TEXT_WHOLE(stats->written), TEXT_WHOLE(stats->read), TEXT_WHOLE(at->left));
  if (stats->most)
    text_print(text, "  held up to %s packet%s (%.1f %%)", TEXT_WHOLE(stats->most), text_s(stats->most),
               percent(stats->most, at->pipe->max_packets));
  if (stats->most && !result->functional)
    text_print(text, ", %.2f on average (%.1f %%)", held, 100 * per(held, at->pipe->max_packets));
  if (stats->most)
    text_print(text, "\n");
  if (print_parts(text, "  ", requests, sizeof requests / sizeof *requests))
    text_print(text, "\n");
}
