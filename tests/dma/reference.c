#include "tests/dma/reference.h"

#include "tests/ct.h"

static void slow_normal(const struct dma_params *params, struct flat_copy *copy) {
  for (int round = 0; round < 3; round++) {
    if (params->lines == DMA_JOINED && copy->lines > 1 && copy->global_pitch == copy->line_bytes &&
        copy->lds_pitch == copy->line_bytes) {
      copy->line_bytes *= copy->lines;
      copy->lines = 1;
    }
    bool follow =
        copy->global_plane == copy->lines * copy->global_pitch && copy->lds_plane == copy->lines * copy->lds_pitch;
    if (copy->planes > 1 && copy->lines == 1) {
      copy->lines = copy->planes;
      copy->global_pitch = copy->global_plane;
      copy->lds_pitch = copy->lds_plane;
      copy->planes = 1;
    } else if (copy->planes > 1 && follow) {
      copy->lines *= copy->planes;
      copy->planes = 1;
    }
  }
}

bool slow_inside(const struct dma_params *params, const struct flat_copy *copy, uint64_t line_global, uint32_t i) {
  if (params->out_of_bounds == DMA_ERROR || (!copy->global_from && !copy->global_to))
    return true;
  uint32_t element = copy->element_bytes ? copy->element_bytes : 1;
  uint64_t first = line_global + i / element * element;
  return first >= copy->global_from && first + element <= copy->global_to;
}

static uint32_t padded(const struct dma_params *params, uint32_t offset) {
  return offset + (params->pad_interval ? offset / params->pad_interval * params->pad : 0);
}

struct line {
  uint64_t global;
  uint32_t offset;
};

/* Whether a request must end before byte i of the line, apart from alignment and granularity. */
static bool must_cut(const struct dma_params *params, const struct flat_copy *copy, struct line line, uint32_t i) {
  bool limit = slow_inside(params, copy, line.global, i) != slow_inside(params, copy, line.global, i - 1);
  uint32_t step = padded(params, line.offset + i) - padded(params, line.offset + i - 1);
  return limit || step != 1;
}

/* Whether an engine without a shifter ends a request before byte i of the run [from, to). */
static bool legal_cut(const struct dma_params *params, const struct flat_copy *copy, struct line line, uint32_t from,
                      uint32_t to, uint32_t i) {
  if (params->misaligned != DMA_SPLIT)
    return false;
  uint64_t global = line.global + i, lds = copy->lds + padded(params, line.offset + i), unit = params->alignment;
  while ((global - lds) % unit)
    unit /= 2;
  if (global % unit)
    return false;
  bool head = (line.global + from) % unit && i - from < unit, tail = to - i < unit;
  return unit < params->alignment || head || tail;
}

/* Whether a piece that granularity leaves whole ends at byte i. */
static bool window_ends(const struct dma_params *params, const struct flat_copy *copy, struct line line, uint32_t i) {
  uint32_t lds = copy->lds + padded(params, line.offset + i);
  return (line.global + i) % params->granularity == 0 ||
         (params->cut == DMA_CUT_BOTH && lds % params->granularity == 0);
}

/* Whether an inbound request for the run [from, to) ends before byte i because one side of it is a partial sector. */
static bool sector_cut(const struct dma_params *params, const struct flat_copy *copy, struct line line, uint32_t from,
                       uint32_t to, uint32_t i) {
  uint32_t sector = params->sector;
  return copy->to_lds && (line.global + i) % sector == 0 && ((line.global + from) % sector || to - i < sector);
}

/* Cuts the line into requests, with or without granularity. */
static uint32_t cut_line(const struct dma_params *params, const struct flat_copy *copy, struct line line, bool windows,
                         uint32_t *ends) {
  uint32_t count = 0, from = 0;
  while (from < copy->line_bytes) {
    uint32_t to = from + 1, end;
    while (to < copy->line_bytes && !must_cut(params, copy, line, to) &&
           !(windows && window_ends(params, copy, line, to)))
      to++;
    for (end = from + 1; end < to && !legal_cut(params, copy, line, from, to, end); end++)
      ;
    to = end;
    for (end = from + 1; end < to && !(windows && sector_cut(params, copy, line, from, to, end)); end++)
      ;
    ends[count++] = from = end;
  }
  return count;
}

static struct line line_at(const struct flat_copy *copy, uint32_t line) {
  uint32_t plane = line / copy->lines, in_plane = line % copy->lines;
  return (struct line){copy->global + plane * copy->global_plane + in_plane * copy->global_pitch,
                       plane * copy->lds_plane + in_plane * copy->lds_pitch};
}

uint32_t slow_cut(const struct dma_params *params, struct flat_copy *normal, struct slow_request *requests) {
  static uint32_t ends[SLOW_REQUESTS];
  uint32_t count = 0;
  if (!normal->line_bytes || !normal->lines || !normal->planes)
    return 0;
  slow_normal(params, normal);
  uint32_t fit = params->granularity / normal->line_bytes;
  bool small = normal->lines > 1 && fit > 1 && params->lines == DMA_JOINED;
  for (uint32_t l = 0; l < normal->lines * normal->planes; l++) {
    struct line line = line_at(normal, l);
    bool whole = small && cut_line(params, normal, line, false, ends) == 1;
    bool outside = !slow_inside(params, normal, line.global, 0);
    uint32_t crosses = line.global % params->granularity + normal->line_bytes > params->granularity;
    struct slow_request *last = count ? &requests[count - 1] : NULL;
    if (whole && l % normal->lines && last->bytes == normal->line_bytes && last->lines == l - last->first_line &&
        last->lines < fit && (last->zero || last->dropped) == outside &&
        (!params->pad_interval || !params->pad ||
         line_at(normal, last->first_line).offset / params->pad_interval == line.offset / params->pad_interval)) {
      last->lines++;
      last->addresses += 1 + crosses;
      continue;
    }
    uint32_t pieces = cut_line(params, normal, line, !whole, ends);
    for (uint32_t piece = 0, from = 0; piece < pieces; from = ends[piece++]) {
      outside = !slow_inside(params, normal, line.global, from);
      bool zero = outside && normal->to_lds && params->out_of_bounds == DMA_ZERO;
      requests[count++] = (struct slow_request){.global = line.global + from,
                                                .lds = normal->lds + padded(params, line.offset + from),
                                                .bytes = ends[piece] - from,
                                                .lines = 1,
                                                .first_line = l,
                                                .zero = zero,
                                                .dropped = outside && !zero,
                                                .new_line = l && !from,
                                                .new_plane = l && !from && l % normal->lines == 0,
                                                .ends_line = ends[piece] == normal->line_bytes,
                                                .addresses = whole ? 1 + crosses : 1};
    }
  }
  return count;
}

/* ---- time ------------------------------------------------------------------------------------------ */

static uint32_t beats(const struct flat_copy *copy, const struct slow_request *request, uint32_t width) {
  uint32_t sum = 0, lines = request->lines, bytes = request->bytes;
  width = width < 128 ? width : 128;
  if (copy->lds_pitch == bytes || lines == 1) {
    bytes *= lines;
    lines = 1;
  }
  for (uint32_t line = 0; line < lines; line++) {
    uint32_t lds = request->lds + line * copy->lds_pitch;
    sum += (lds + bytes - 1) / width - lds / width + 1;
  }
  return sum;
}

/* Bytes on the memory side: writes pass whole sectors, and a mask for partial ones. */
static uint64_t passing(const struct dma_params *params, const struct flat_copy *copy,
                        const struct slow_request *request) {
  uint64_t sum = 0, sector = params->sector;
  for (uint32_t line = 0; line < request->lines; line++) {
    uint64_t from = request->global + line * copy->global_pitch, to = from + request->bytes;
    bool part = from % sector || to % sector;
    sum += copy->to_lds || sector == 1 ? request->bytes : ((to - 1) / sector - from / sector + 1 + part) * sector;
  }
  return sum;
}

struct state {
  cycle_t ready, last_beat, passed, taken, taken_in; /* passed: the last byte on the far side */
  uint64_t side;                                     /* when the far side is free, in bytes */
  uint32_t n;
  cycle_t landed[SLOW_REQUESTS], gone[SLOW_REQUESTS]; /* gone: when it left the buffer */
  cycle_t begun[SLOW_REQUESTS],
      taken_at[SLOW_REQUESTS]; /* when its first beat starts, and when its reply leaves the port */
};

static cycle_t older(const cycle_t *of, uint32_t n, uint32_t back) { return back && n >= back ? of[n - back] : 0; }

static void pass_side(const struct dma_params *params, struct state *state, uint32_t width, uint64_t bytes,
                      cycle_t at) {
  at = cycle_max(at, state->taken);
  state->taken = at;
  if (params->decoupling == DMA_COUPLED)
    state->side = div_up(state->side, width) * width;
  state->side = cycle_max(state->side, at * width) + bytes;
  state->passed = div_up(state->side, width) - 1;
}

static void inbound(const struct dma_params *params, struct state *state, cycle_t sent, uint64_t passes, uint32_t beat,
                    cycle_t memory) {
  cycle_t room = older(state->landed, state->n, params->decoupling == DMA_COUPLED ? 1 : params->buffer);
  pass_side(params, state, params->read_width, passes, cycle_max(sent + memory, room));
  state->last_beat = cycle_max(state->last_beat, state->passed) + beat;
  state->landed[state->n] = state->last_beat + 1;
}

static void outbound(const struct dma_params *params, struct state *state, cycle_t sent, uint64_t passes, uint32_t beat,
                     cycle_t memory) {
  /* four replies fill the LDS's port */
  cycle_t start = cycle_max(cycle_max(state->last_beat, sent), older(state->taken_at, state->n, 4));
  state->begun[state->n] = start + 1;
  state->last_beat = start + beat;
  cycle_t room = params->decoupling == DMA_COUPLED ? 0 : older(state->gone, state->n, params->buffer);
  /* its reply is accepted when there is room; the data arrive lds_latency later */
  cycle_t reply = cycle_max(cycle_max(state->last_beat + 1, room), state->taken_in);
  uint32_t width = params->out_width ? params->out_width : params->write_width;
  pass_side(params, state, width, passes, reply + params->lds_latency);
  state->taken_in = reply;
  state->taken_at[state->n] = reply;
  state->gone[state->n] = state->passed + 1;
  state->landed[state->n] = state->passed + memory;
}

cycle_t slow_done(const struct dma_params *params, struct flat_copy copy, cycle_t memory) {
  static struct slow_request requests[SLOW_REQUESTS];
  static struct state state;
  uint32_t count = slow_cut(params, &copy, requests);
  cycle_t done = 1 + params->setup;
  state = (struct state){.ready = 1 + params->setup};
  for (uint32_t i = 0; i < count; i++) {
    const struct slow_request *request = &requests[i];
    state.ready += request->new_line * params->line_cycles + request->new_plane * params->plane_cycles;
    cycle_t start = cycle_max(state.ready, older(state.landed, state.n, params->outstanding));
    start = cycle_max(start, older(state.landed, state.n, params->quota));
    if (!copy.to_lds) {
      start = cycle_max(start, state.n >= 4 ? state.begun[state.n - 4] + 1 : 0);
      start = cycle_max(start, params->decoupling == DMA_COUPLED && state.n ? state.passed : 0);
    }
    cycle_t sent = start + request->addresses - 1 + (request->lines - 1) * params->line_cycles;
    state.ready = sent + 1;
    done = cycle_max(done, sent + 1);
    if (request->dropped)
      continue;
    uint64_t gathered = passing(params, &copy, request);
    if (copy.line_bytes < params->gather && request->ends_line)
      gathered += (uint64_t)(params->gather - copy.line_bytes) * request->lines;
    uint32_t beat = beats(&copy, request,
                          copy.to_lds         ? params->write_width
                          : params->out_width ? params->out_width
                                              : params->read_width);
    (copy.to_lds ? inbound : outbound)(params, &state, sent, gathered, beat, memory);
    done = cycle_max(done, state.landed[state.n++]);
  }
  return done + cycle_max(params->completion, 1); /* a link takes a cycle */
}

/* ---- random copies and machines ---------------------------------------------------------------------- */

static uint32_t up_to(uint64_t *random, uint32_t limit) { return (uint32_t)(ct_random(random) % (limit + 1)); }

static uint32_t up_to_each(uint64_t *random, uint32_t a, uint32_t b) {
  const uint32_t first = up_to(random, a);
  return first * up_to(random, b);
}

struct flat_copy random_copy(uint64_t *random) {
  struct flat_copy copy = {
      .to_lds = up_to(random, 1), .global = up_to(random, 4095), .lds = up_to(random, 4095), .lines = 1, .planes = 1};
  copy.element_bytes = 1u << up_to(random, 4);
  uint32_t shape = up_to(random, 3);
  copy.line_bytes = up_to(random, 1u << up_to(random, shape ? 8 : 16)) / copy.element_bytes * copy.element_bytes;
  if (shape) {
    copy.lines = up_to(random, 40);
    copy.global_pitch = copy.line_bytes + up_to_each(random, 1, 300);
    copy.lds_pitch = copy.line_bytes + up_to_each(random, 1, 10);
  }
  if (shape == 3) {
    copy.planes = up_to(random, 5);
    copy.global_plane = copy.lines * copy.global_pitch + up_to_each(random, 1, 300);
    copy.lds_plane = copy.lines * copy.lds_pitch + up_to_each(random, 1, 30);
  }
  return copy;
}

struct dma_params random_params(uint64_t *random) {
  struct dma_params params = {
      .engines = 1,
      .channels = 1 + up_to(random, 5),
      .queue = 1 + up_to(random, 8),
      .issue_gap = 1 + up_to(random, 7),
      .setup = up_to(random, 24),
      .completion = up_to(random, 14),
      .outstanding = up_to(random, 1) ? 1 + up_to(random, 9) : 200,
      .granularity = 16u << up_to(random, 4),
      .lines = up_to(random, 3) == 0,
      .cut = up_to(random, 3) == 0,
      .sector = up_to(random, 1) ? 1 : 1u << up_to(random, 7),
      .burst = 4u << up_to(random, 10),
      .read_width = 1 + up_to(random, 255),
      .write_width = 1 + up_to(random, 255),
      .line_cycles = up_to_each(random, 3, 1),
      .plane_cycles = up_to(random, 9),
      .arbitration = up_to(random, 3),
      .quota = up_to_each(random, 1, 8),
      .decoupling = up_to(random, 3) == 0,
      .buffer = up_to(random, 1) ? 256 : 2 + up_to(random, 6),
      .dimensions = up_to(random, 1) ? 5 : 1 + up_to(random, 3),
      .gather = 1u << up_to(random, 6),
      .alignment = 1,
      .out_of_bounds = up_to(random, 2),
      .l2 = up_to(random, 1),
  };
  params.out_width = params.setup % 3 ? 0 : 1 + 20 * params.plane_cycles;
  params.lds_latency = params.setup % 2 ? 0 : 2 * params.completion;
  if (up_to(random, 3) == 0)
    params.misaligned = DMA_SPLIT, params.alignment = 1u << up_to(random, 7);
  if (up_to(random, 3) == 0)
    params.pad_interval = 1 + up_to(random, 1u << up_to(random, 9)),
    params.pad = up_to(random, params.pad_interval < 20 ? 2 * params.pad_interval : 40);
  return params;
}
