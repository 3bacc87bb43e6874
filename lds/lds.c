#include "lds/memo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

/* clang-format off */
const struct param_row lds_param_rows[] = {
#define PARAMS_FILE "lds/lds.params.def"
#define PARAMS_STRUCT lds_params
#include "sim/core/params_rows.def"
};
const size_t lds_param_count = sizeof lds_param_rows / sizeof *lds_param_rows;

static const struct stat_row stat_rows[] = {
#define STAT(...) STAT_ROW(struct lds_stats, __VA_ARGS__)
#include "lds/lds.stats.def"
#undef STAT
};
/* clang-format on */
const struct stat_group lds_stat_group = {"lds", "Local data store", stat_rows, sizeof stat_rows / sizeof *stat_rows};

/* A warp's access at the banks. */
struct access {
  bool active, started; /* started: its first pass is done */
  cycle_t next;         /* cycle of its next pass; when it ends: from which cycle on its place is free */
  uint32_t pass, contention, queued_conflicts;
  struct lds_request request;
  struct lds_schedule schedule;
};

/* With lds.interleave: an access that has arrived and is not at the banks yet. */
struct waiting {
  cycle_t arrived, ready;
  struct lds_request request;
};

/* An engine's transfer at the banks. */
struct stream {
  bool active;
  uint32_t tag;
  uint32_t address, end;   /* of the current line, still to move; 32 bits, whose divisions are fast */
  uint32_t bytes, pitch;   /* of a line */
  uint32_t lines;          /* after this one */
  uint32_t alike;          /* beats of each line if all have the same number; otherwise, or for a single line, 0 */
  uint32_t width;          /* beats end at multiples of it */
  uint32_t beats, left;    /* left, of all lines */
  uint32_t launch, origin; /* for timelines */
};

/* Accesses with conflicts that were served lately, oldest first. An entry lives while an access that waited for it may
 * still be in the queue. So there are at most as many entries as accesses in the queue and at the banks, plus one. */
enum { SERVED = 512 };

struct served {
  struct {
    cycle_t last;       /* cycle of its last pass */
    uint32_t conflicts; /* passes that conflicts added, all before `last` or in it */
  } entry[SERVED];
  uint32_t first, end; /* modulo SERVED */
  uint64_t conflicts;  /* sum of entries */
};

struct lds_work {
  cycle_t at; /* all cycles before this one are done */
  struct access access[LDS_AT_BANKS];
  unsigned at_banks;       /* active ones */
  struct waiting *waiting; /* oldest first, at most params.queue; NULL without lds.interleave */
  uint32_t waits;
  struct stream stream[LDS_ENGINES];
  unsigned streams; /* active ones */
  unsigned turn;    /* the engine that is first in line for the next beat */
  bool dma_wins;    /* the engine wins the next conflict, with `alternate` */
  struct served served;
  struct lds_memo memo;
  uint32_t row; /* bytes of one word of every bank: the most that a beat moves */
  unsigned word_log2;
};

static cycle_t lds_step(void *self, cycle_t now);

/* The longest delay of a result beyond `latency` after its last pass. */
static uint32_t latest(const struct lds_params *params) {
  return params->phase_latency * (LDS_LANES / 8 - 1) + params->atomic_latency;
}

uint32_t lds_capacity(const struct lds_params *params) {
  uint32_t waiting = params->interleave > 1 ? params->queue + params->interleave : 0;
  return params->queue + waiting + params->latency + latest(params) + 2;
}

/* A reply is in its port for `latency` cycles after the last pass. One pass a cycle and the credit's way back limit the
 * number of replies there, because the CU takes each one on arrival. */
static void make_ports(struct lds *lds, struct component *cu, struct component *const *dma) {
  enum { TRANSFERS = 4 }; /* two sustain one transfer a cycle, credits included */
  struct component *me = &lds->component;
  port_init(&lds->from_cu, sizeof(struct lds_request), lds->params->queue, 1, cu, me);
  port_init(&lds->to_cu, sizeof(struct lds_reply), lds->params->latency + latest(lds->params) + 4, 1, me, cu);
  for (unsigned e = 0; e < lds->engines; e++) {
    port_init(&lds->from_dma[e], sizeof(struct transfer), TRANSFERS, 1, dma[e], me);
    port_init(&lds->to_dma[e], sizeof(struct transfer_reply), TRANSFERS, 1, me, dma[e]);
  }
}

void lds_init(struct lds *lds, const struct lds_params *params, const struct lds_commit *commit, struct component *cu,
              struct component *const *dma, unsigned engines) {
  assert(engines <= LDS_ENGINES && "a CU has a handful of DMA engines");
  *lds = (struct lds){.component = {.name = "lds", .step = lds_step, .self = lds},
                      .params = params,
                      .engines = engines,
                      .work = need(1, sizeof *lds->work)};
  if (commit)
    lds->commit = *commit;
  if (params->interleave > 1)
    lds->work->waiting = need(params->queue, sizeof *lds->work->waiting);
  make_ports(lds, cu, dma);
  lds->work->row = params->banks * params->bank_bytes;
  lds->work->word_log2 = (unsigned)__builtin_ctz(params->bank_bytes);
}

void lds_free(struct lds *lds) {
  port_free(&lds->from_cu);
  port_free(&lds->to_cu);
  for (unsigned e = 0; e < LDS_ENGINES; e++) {
    port_free(&lds->from_dma[e]);
    port_free(&lds->to_dma[e]);
  }
  if (lds->work)
    free(lds->work->waiting);
  free(lds->work);
  lds->work = NULL;
}

/* ---- accept --------------------------------------------------------------------------------- */

static void note_served(struct served *served, cycle_t last, uint32_t conflicts) {
  if (!conflicts)
    return;
  served->entry[served->end % SERVED].last = last;
  served->entry[served->end++ % SERVED].conflicts = conflicts;
  served->conflicts += conflicts;
  assert(served->end - served->first <= SERVED && "entries are forgotten when nobody in the queue waited for them");
}

/* The conflict passes from cycle `since` on. Each call must have the same or a later `since` than the call before. */
static uint32_t conflicts_since(struct served *served, cycle_t since) {
  while (served->first != served->end && served->entry[served->first % SERVED].last < since)
    served->conflicts -= served->entry[served->first++ % SERVED].conflicts;
  if (served->first == served->end)
    return 0;
  uint64_t oldest = served->entry[served->first % SERVED].conflicts;
  uint64_t left = served->entry[served->first % SERVED].last - since + 1;
  return (uint32_t)(served->conflicts - oldest + cycle_min(oldest, left));
}

/* With lds.interleave: moves all that have arrived to where each of them can be chosen. */
static void collect_waiting(struct lds *lds, cycle_t now) {
  struct lds_work *work = lds->work;
  const struct lds_request *request;
  while (work->waits < lds->params->queue && (request = port_peek(&lds->from_cu, now))) {
    work->waiting[work->waits++] =
        (struct waiting){.arrived = port_next(&lds->from_cu), .ready = now + request->delay, .request = *request};
    port_take(&lds->from_cu, now);
  }
}

/* Only one access of a warp is at the banks at a time. */
static bool may_start(const struct lds *lds, const struct lds_request *request, cycle_t now) {
  for (unsigned i = 0; i < lds->params->interleave; i++) {
    const struct access *access = &lds->work->access[i];
    if ((access->active || access->next > now) && access->request.warp == request->warp && request->warp != LDS_NO_WARP)
      return false;
  }
  return true;
}

static void start_at(struct lds *lds, struct access *access, const struct lds_request *request, cycle_t arrived,
                     cycle_t now) {
  access->active = true;
  access->started = false;
  access->next = now;
  access->pass = access->contention = 0;
  access->queued_conflicts = conflicts_since(&lds->work->served, arrived);
  access->request = *request;
  lds->work->at_banks++;
  lds_recall(&lds->work->memo, lds->params, request, &access->schedule);
}

/* The access keeps its slot in the queue until its first pass. */
static void accept_next(struct lds *lds, cycle_t now) {
  const struct lds_request *request = port_peek(&lds->from_cu, now);
  if (request && port_next(&lds->from_cu) + request->delay <= now)
    start_at(lds, &lds->work->access[0], request, port_next(&lds->from_cu), now);
}

static bool is_behind(const struct lds_request *request, const struct lds_request *older) {
  return request->group == older->group && request->phase != older->phase && older->warp != LDS_NO_WARP;
}

/* All accesses of its work-group from before the last barrier have started. */
static bool is_in_order(const struct lds *lds, uint32_t at) {
  const struct lds_work *work = lds->work;
  const struct lds_request *request = &work->waiting[at].request;
  bool behind = false;
  for (unsigned i = 0; i < lds->params->interleave; i++)
    behind |= work->access[i].active && !work->access[i].started && is_behind(request, &work->access[i].request);
  for (uint32_t older = 0; older < at; older++)
    behind |= is_behind(request, &work->waiting[older].request);
  return !behind;
}

/* Starts the oldest access that may go: the warp has none at the banks, and is_in_order(). */
static void accept_oldest(struct lds *lds, struct access *access, cycle_t now) {
  struct lds_work *work = lds->work;
  uint32_t at = 0;
  while (at < work->waits &&
         (work->waiting[at].ready > now || !may_start(lds, &work->waiting[at].request, now) || !is_in_order(lds, at)))
    at++;
  if (at == work->waits)
    return;
  start_at(lds, access, &work->waiting[at].request, work->waiting[at].arrived, now);
  memmove(&work->waiting[at], &work->waiting[at + 1], (--work->waits - at) * sizeof *work->waiting);
}

static void accept_accesses(struct lds *lds, cycle_t now) {
  if (!lds->work->waits && port_next(&lds->from_cu) > now)
    return;
  if (lds->work->waiting)
    collect_waiting(lds, now);
  for (unsigned i = 0; i < lds->params->interleave; i++) {
    struct access *access = &lds->work->access[i];
    if (access->active || access->next > now || !port_can_send(&lds->to_cu, now))
      continue;
    if (lds->work->waiting)
      accept_oldest(lds, access, now);
    else
      accept_next(lds, now);
  }
}

static uint32_t beats_between(uint32_t address, uint32_t end, uint32_t width) {
  return (end - 1) / width - address / width + 1;
}

/* Of all lines. */
static uint32_t beats_of(const struct stream *stream) {
  uint32_t beats = beats_between(stream->address, stream->end, stream->width);
  if (stream->alike || !stream->lines)
    return beats * (stream->lines + 1);
  for (uint32_t line = 1, at = stream->address; line <= stream->lines; line++) {
    at += stream->pitch;
    beats += beats_between(at, at + stream->bytes, stream->width);
  }
  return beats;
}

/* Lines without a gap between them count as one line. */
static struct stream stream_of(const struct lds_work *work, const struct transfer *transfer) {
  const struct rect rect = transfer->train ? transfer->rect : rect_joined(transfer->rect);
  const uint32_t bytes = (uint32_t)rect.bytes;
  struct stream stream = {.active = true,
                          .tag = transfer->tag,
                          .address = (uint32_t)rect.base,
                          .end = (uint32_t)rect.base + bytes,
                          .bytes = bytes,
                          .pitch = (uint32_t)rect.pitch,
                          .lines = rect.lines - 1,
                          .width = transfer->width && transfer->width < work->row ? transfer->width : work->row,
                          .left = bytes * rect.lines,
                          .launch = transfer->launch,
                          .origin = transfer->origin};
  if (stream.lines && (transfer->train || stream.pitch % stream.width == 0))
    stream.alike = beats_between(stream.address, stream.end, stream.width);
  stream.beats = beats_of(&stream);
  return stream;
}

static void accept_transfer(struct lds *lds, unsigned engine, cycle_t now) {
  struct lds_work *work = lds->work;
  struct stream *stream = &work->stream[engine];
  if (stream->active)
    return;
  const struct transfer *transfer = port_peek(&lds->from_dma[engine], now);
  if (!transfer || !port_can_send(&lds->to_dma[engine], now))
    return;
  assert(transfer->rect.bytes && transfer->rect.lines && "a transfer moves something");
  *stream = stream_of(work, transfer);
  work->streams++;
  port_take(&lds->from_dma[engine], now);
}

/* ---- the warps' side ------------------------------------------------------------------------ */

static void start_access(struct lds *lds, struct access *access, cycle_t now) {
  access->started = true;
  if (!lds->work->waiting)
    port_take(&lds->from_cu, now);
  lds->stats.accesses++;
  if (lds->commit.warp)
    lds->commit.warp(lds->commit.context, access->request.tag);
}

/* Sends the reply, in order. `now` may be before the cycle being stepped, see next_warp(). */
static void reply(struct lds *lds, struct access *access, cycle_t now) {
  const struct lds_schedule *schedule = &access->schedule;
  struct lds_reply reply = {.tag = access->request.tag,
                            .passes = schedule->passes + schedule->idle,
                            .conflict_cycles = schedule->passes - schedule->phases,
                            .queued_conflicts = access->queued_conflicts,
                            .contention_cycles = access->contention,
                            .ways = schedule->ways};
  lds->stats.conflict_cycles += reply.conflict_cycles;
  note_served(&lds->work->served, now, reply.conflict_cycles);
  cycle_t arrival = cycle_max(now + lds->params->latency + schedule->late, lds->to_cu.last);
  port_send_at(&lds->to_cu, &reply, now, arrival);
}

/* Does `passes` passes, the last one in cycle `last`. They must be all before the last pass with a result, up to it, or
 * all after it. */
static void do_passes(struct lds *lds, struct access *access, uint32_t passes, cycle_t last) {
  const struct lds_schedule *schedule = &access->schedule;
  if (!access->started)
    start_access(lds, access, last);
  access->pass += passes;
  access->next = last + lds->params->interleave;
  lds->stats.passes += passes;
  if (access->pass == schedule->passes)
    reply(lds, access, last);
  if (access->pass == schedule->passes + schedule->idle) {
    access->active = false;
    lds->work->at_banks--;
  }
}

/* The access whose pass is due in cycle `now`: the one that has waited longest. */
static struct access *due_access(struct lds *lds, cycle_t now) {
  struct access *due = NULL;
  for (unsigned i = 0; i < lds->params->interleave; i++) {
    struct access *access = &lds->work->access[i];
    if (access->active && access->next <= now && (!due || access->next < due->next))
      due = access;
  }
  return due;
}

/* ---- the engines' side ---------------------------------------------------------------------- */

static unsigned pick_engine(const struct lds *lds) {
  unsigned engine = lds->work->turn;
  while (!lds->work->stream[engine].active)
    engine = engine + 1 == lds->engines ? 0 : engine + 1;
  return engine;
}

static uint32_t beat_end(const struct stream *stream) {
  uint32_t end = (stream->address / stream->width + 1) * stream->width;
  return end < stream->end ? end : stream->end;
}

static uint64_t beat_banks(const struct lds *lds, const struct stream *stream) {
  unsigned log2 = lds->work->word_log2;
  uint32_t first = stream->address >> log2, last = (beat_end(stream) - 1) >> log2;
  return lds_banks(lds->params, first, last - first + 1);
}

static void finish_transfer(struct lds *lds, unsigned engine, cycle_t now) {
  struct stream *stream = &lds->work->stream[engine];
  stream->active = false;
  lds->work->streams--;
  if (lds->commit.dma)
    lds->commit.dma(lds->commit.context, engine, stream->tag);
  port_send(&lds->to_dma[engine], &(struct transfer_reply){.tag = stream->tag}, now);
}

/* Advances a stream by `beats` beats, not to its end; returns their bytes. */
static uint32_t advance_stream(struct stream *stream, uint32_t beats) {
  uint32_t left = stream->left, whole = stream->alike ? beats / stream->alike : 0;
  if (whole) { /* whole lines, so the position within a line stays the same */
    stream->address += whole * stream->pitch;
    stream->end += whole * stream->pitch;
    stream->lines -= whole;
    stream->left -= whole * stream->bytes;
    beats -= whole * stream->alike;
  }
  while (beats) {
    uint32_t in_line = beats_between(stream->address, stream->end, stream->width);
    uint32_t done = beats < in_line ? beats : in_line, from = stream->address;
    stream->address = done < in_line ? (from / stream->width + done) * stream->width : stream->end;
    stream->left -= stream->address - from;
    beats -= done;
    if (done == in_line) {
      stream->address = stream->end - stream->bytes + stream->pitch;
      stream->end = stream->address + stream->bytes;
      stream->lines--;
    }
  }
  return left - stream->left;
}

/* Does `beats` beats of one engine, the last one in cycle `last`. */
static void do_beats(struct lds *lds, unsigned engine, uint32_t beats, cycle_t last) {
  struct stream *stream = &lds->work->stream[engine];
  stream->beats -= beats;
  lds->stats.dma_beats += beats;
  lds->stats.dma_bytes += stream->beats ? advance_stream(stream, beats) : stream->left;
  lds->work->turn = engine + 1 == lds->engines ? 0 : engine + 1;
  if (!stream->beats)
    finish_transfer(lds, engine, last);
}

/* ---- cycles --------------------------------------------------------------------------------- */

static bool dma_has_priority(struct lds *lds) {
  bool dma = lds->params->priority == LDS_DMA_FIRST;
  if (lds->params->priority == LDS_ALTERNATE) {
    dma = lds->work->dma_wins;
    lds->work->dma_wins = !dma;
  }
  return dma;
}

/* Reports a cycle to the timeline: the warps' pass, or NULL, and an engine's beat. A pass that uses no bank counts,
 * too. */
static void emit_banks(const struct lds *lds, const struct access *pass, uint64_t pass_banks, bool beat,
                       unsigned engine, uint64_t beat_banks, cycle_t now) {
  struct timeline_event event = {.kind = TIMELINE_BANKS, .from = now, .to = now + 1};
  const struct stream *stream = &lds->work->stream[engine];
  if (pass) {
    const struct lds_origin *origin = &pass->request.origin;
    event.field[TIMELINE_BANKS_BANKS] = pass_banks;
    event.field[TIMELINE_BANKS_WARP] = origin->warp;
    event.field[TIMELINE_BANKS_PC] = origin->pc;
    event.field[TIMELINE_BANKS_LAUNCH] = lds->tap.timeline->launch + origin->launch;
    event.field[TIMELINE_BANKS_PASS] = pass->pass;
    timeline_emit(&lds->tap, now, event);
  }
  if (beat)
    timeline_emit(
        &lds->tap, now,
        (struct timeline_event){.kind = TIMELINE_BANKS,
                                .unit = 1 + engine,
                                .from = now,
                                .to = now + 1,
                                .field = {[TIMELINE_BANKS_BANKS] = beat_banks,
                                          [TIMELINE_BANKS_PC] = stream->origin,
                                          [TIMELINE_BANKS_LAUNCH] = lds->tap.timeline->launch + stream->launch}});
}

/* The access whose pass is due in cycle `now`; NULL if there is none, or global memory goes first. */
static struct access *next_access(struct lds *lds, cycle_t now) {
  struct access *access = lds->work->at_banks ? due_access(lds, now) : NULL;
  if (!access || now < lds->yield_from || now >= lds->yield_until)
    return access;
  lds->yielded = !lds->yielded;
  if (!lds->yielded) {
    lds->yield_until++;
    return access;
  }
  access->contention++;
  lds->stats.contention_cycles++;
  return NULL;
}

/* Does cycle `now` at the banks. */
static void one_cycle(struct lds *lds, cycle_t now) {
  struct lds_work *work = lds->work;
  struct access *access = next_access(lds, now);
  bool warp = access, dma = work->streams;
  unsigned engine = dma ? pick_engine(lds) : 0;
  const bool shared = lds->params->dma_port == LDS_PORT_SHARED;
  uint64_t warp_banks = warp && access->pass < access->schedule.passes ? access->schedule.bank_mask[access->pass] : 0;
  uint64_t dma_banks = dma && ((warp_banks && shared) || lds->every_cycle) ? beat_banks(lds, &work->stream[engine]) : 0;
  if ((warp_banks & dma_banks) && shared) {
    if (dma_has_priority(lds)) {
      warp = false;
      warp_banks = 0;
      access->contention++;
      lds->stats.contention_cycles++;
    } else {
      dma = false;
      dma_banks = 0;
      lds->stats.dma_contention_cycles++;
    }
  }
  if (lds->every_cycle) {
    lds->probe_warp_banks = (uint32_t)__builtin_popcountll(warp_banks);
    lds->probe_dma_banks = (uint32_t)__builtin_popcountll(dma_banks);
  }
  lds->stats.busy_cycles += warp || dma;
  if (timeline_wants(&lds->tap, TIMELINE_BANKS))
    emit_banks(lds, warp ? access : NULL, warp_banks, dma, engine, dma_banks, now);
  if (warp)
    do_passes(lds, access, 1, now);
  if (dma)
    do_beats(lds, engine, 1, now);
}

/* Passes until the result departs; after that, until the place is free. */
static uint32_t passes_left(const struct access *access) {
  const struct lds_schedule *schedule = &access->schedule;
  return schedule->passes + (access->pass < schedule->passes ? 0 : schedule->idle) - access->pass;
}

/* Several accesses take turns, or global memory may claim a cycle. */
static bool steps_each_cycle(const struct lds *lds) {
  return lds->params->interleave > 1 || lds->params->global_port == LDS_GLOBAL_SHARED;
}

/* Does the cycles from work->at to before `now`. In these, no message arrived, no access started and no transfer ended:
 * lds_step() returns the cycle of the next such event, or an earlier one. Cycles without competition for the banks are
 * done all at once. */
static void catch_up(struct lds *lds, cycle_t now) {
  struct lds_work *work = lds->work;
  while (work->at < now && (work->at_banks || work->streams)) {
    bool warp = work->at_banks, disputed = warp && work->streams && lds->params->dma_port == LDS_PORT_SHARED;
    if (disputed || work->streams > 1 || (warp && steps_each_cycle(lds))) {
      one_cycle(lds, work->at++);
      continue;
    }
    cycle_t now_or_reply = now;
    const struct access *access = &work->access[0];
    if (warp && access->schedule.idle && access->pass < access->schedule.passes)
      now_or_reply = cycle_min(now, work->at + passes_left(access));
    uint64_t span = now_or_reply - work->at, passes = 0, beats = 0;
    if (warp)
      passes = cycle_min(span, passes_left(&work->access[0]));
    if (work->streams)
      beats = cycle_min(span, work->stream[pick_engine(lds)].beats);
    if (passes)
      do_passes(lds, &work->access[0], (uint32_t)passes, work->at + passes - 1);
    if (beats)
      do_beats(lds, pick_engine(lds), (uint32_t)beats, work->at + beats - 1);
    lds->stats.busy_cycles += cycle_max(passes, beats);
    work->at = now_or_reply;
  }
  work->at = cycle_max(work->at, now);
}

void lds_abandon(struct lds *lds, cycle_t end) { catch_up(lds, end); }

/* When the warps' side next needs a step. The first pass of an access needs a step in its cycle, because it commits.
 * The last pass can be done a cycle later, together with the start of the next access, if the reply still keeps its
 * cycle. */
static cycle_t next_warp(const struct lds *lds, cycle_t now) {
  const struct access *access = &lds->work->access[0];
  if (lds->work->waits || (lds->work->at_banks && steps_each_cycle(lds)))
    return now + 1;
  if (!lds->work->at_banks)
    return cycle_max(now + 1, cycle_max(port_next(&lds->from_cu), port_free_at(&lds->to_cu)));
  if (!access->started)
    return now + 1;
  return now + passes_left(access) + (lds->params->latency > 1);
}

/* A transfer takes at least one cycle for each beat. With several engines or competing warps, this step is early and
 * asks again. */
static cycle_t next_dma(const struct lds *lds, unsigned engine, cycle_t now) {
  const struct stream *stream = &lds->work->stream[engine];
  if (stream->active)
    return now + stream->beats;
  return cycle_max(now + 1, cycle_max(port_next(&lds->from_dma[engine]), port_free_at(&lds->to_dma[engine])));
}

static cycle_t lds_step(void *self, cycle_t now) {
  struct lds *lds = self;
  /* (1) what happened in the cycles since the last step */
  catch_up(lds, now);
  if (lds->work->at == now) {
    /* (2) what has arrived goes to the banks; (3) the banks work */
    accept_accesses(lds, now);
    for (unsigned e = 0; e < lds->engines; e++)
      accept_transfer(lds, e, now);
    one_cycle(lds, now);
    lds->work->at = now + 1;
  }
  cycle_t next = next_warp(lds, now);
  for (unsigned e = 0; e < lds->engines; e++)
    next = cycle_min(next, next_dma(lds, e, now));
  if (lds->every_cycle && (lds->probe_warp_banks || lds->probe_dma_banks || lds->work->at_banks || lds->work->streams))
    next = now + 1;
  return next;
}
