/* The library survives any calls in any order: each byte chooses a function, the next bytes its objects and numbers.
 * The invariants: a failed call gives its reason, the remaining objects are released without a leak, and only calls on
 * missing or unsuitable objects fail. */
#include <stdlib.h>
#include <warpwait.h>
#include <warpwait/analyse.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char source[] = ".kernel plus\n.arg data global\n.arg add u32\n.reg i, v\n.reg64 p\n"
                             "  ld.arg.b64 p, data\n"
                             "  get.global_id i, x\n"
                             "  mad.wide.u32 p, i, 4, p\n"
                             "  ld.global.b32 v, [p]\n"
                             "  ld.arg.b32 i, add\n"
                             "  add.i32 v, v, i\n"
                             "  st.global.b32 [p], v\n"
                             "  exit\n"
                             ".kernel more\n.arg from global\n.arg p pipe\n.arg room local\n.reg n, i\n.reg64 q\n"
                             ".lds tile 64\n"
                             "  ld.arg.b64 q, from\n"
                             "  copy.to_lds n, [tile], [q], 16, size=4\n"
                             "  wait n\n"
                             "again: get.local_id i, x\n"
                             "  ld.arg.b32 n, room\n"
                             "  exit\n"
                             ".kernel texels\n.arg picture image2d\n.arg how sampler\n.reg v[4], x, y, s\n"
                             ".reg64 i, at\n"
                             "  ld.arg.b64 i, picture\n"
                             "  ld.arg.b32 s, how\n"
                             "  get.global_id x, x\n"
                             "  get.local_id y, x\n"
                             "  pack.b64 at, x, y\n"
                             "  image.sample.2d v, [i], s, at, as=float\n"
                             "  image.store.2d [i], at, v, as=float\n"
                             "  image.load.2d v, [i], s, at, as=b16\n"
                             "  image.store.2d [i], at, v, as=b16\n"
                             "  exit\n";

enum { EACH = 4, CYCLES = 3000, MOST_CALLS = 200, MOST_SIZE = 64 };

struct state {
  const uint8_t *at, *end;
  ww_error error;
  ww_context *context;
  ww_machine *machine[EACH];
  ww_program *program[EACH];
  const ww_kernel *kernel[EACH];
  ww_device *device[EACH];
  ww_buffer *buffer[EACH];
  ww_pipe *pipe[EACH];
  ww_image *image[EACH];
  ww_launch *launch[EACH];
  ww_report *report[EACH];
  ww_trace *trace[EACH];
  uint8_t *recorded;
  size_t recorded_size;
  uint8_t own[8 + 255]; /* for buffers over this memory */
};

static unsigned byte(struct state *s) { return s->at < s->end ? *s->at++ : 0; }
static unsigned pick(struct state *s) { return byte(s) % EACH; }

/* Small numbers, and limits. */
static uint64_t number(struct state *s) {
  static const uint64_t limits[] = {0, 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX, INT64_MAX, 4096, 1 << 20};
  const unsigned first = byte(s);
  return first < 8 ? limits[first] : first < 200 ? first : first << 8 | byte(s);
}

/* Some bytes of the input, unchanged. */
static ww_bytes bytes(struct state *s) {
  const size_t size = byte(s) + 256 * (byte(s) % 4), left = (size_t)(s->end - s->at);
  const ww_bytes made = {s->at, size < left ? size : left, NULL};
  s->at += made.size;
  return made;
}

static void judge(const struct state *s, ww_status status) {
  if (status != s->error.status || (status == WW_OK) != (s->error.text[0] == '\0') || status == WW_DEFECT)
    abort();
}

static bool drop(void *self, const void *data, size_t size) {
  (void)self, (void)data;
  return size < 1 << 24;
}
static const ww_sink dropping = {drop, NULL};

static bool record(void *self, const void *data, size_t size) {
  struct state *s = self;
  if (s->recorded_size + size > 1 << 20)
    return false;
  s->recorded = realloc(s->recorded, s->recorded_size + size);
  memcpy(s->recorded + s->recorded_size, data, size);
  s->recorded_size += size;
  return true;
}

static void event(void *self, const ww_event *told) { (void)self, (void)told; }
static void hazard(void *self, const ww_hazard *told) {
  (void)self;
  if (!told->rule || !told->file)
    abort();
}
static bool tick(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  (void)now, (void)done, (void)groups;
  return byte(self) != 77;
}

static void run(struct state *s, unsigned to) {
  ww_launch *launches[3] = {s->launch[pick(s)], s->launch[pick(s)], s->launch[pick(s)]};
  const unsigned how = byte(s);
  ww_watch watch = {.size = how % 7 ? (uint32_t)sizeof watch : 16, .self = s, .cycle_limit = CYCLES, .tick = tick};
  if (how & 1)
    watch.event = event, watch.event_kinds = byte(s);
  if (how & 2)
    watch.hazard = hazard, watch.check = true;
  if (how & 4)
    s->recorded_size = 0, watch.trace = (ww_sink){record, s};
  watch.page = how & 8;
  if (how & 16)
    watch.timeline = dropping;
  ww_report *report = NULL;
  judge(s, ww_run(s->device[pick(s)], launches, byte(s) % 4, &watch, &report, &s->error));
  ww_report_unref(s->report[to]);
  s->report[to] = report;
}

/* With several devices at once, the output is no longer a trace. */
static void record_device(struct state *s) {
  ww_device *device = s->device[pick(s)];
  if (byte(s) % 4 == 0) {
    judge(s, ww_device_record_end(device, &s->error));
    return;
  }
  s->recorded_size = 0;
  judge(s, ww_device_record(device, (ww_sink){record, s}, &s->error));
}

/* Bytes of the input followed by zeros. */
static const char *text(struct state *s, char room[64]) {
  const ww_bytes from = bytes(s);
  memset(room, 0, 64);
  if (from.size)
    memcpy(room, from.data, from.size < 63 ? from.size : 63);
  return room;
}

static const char *sampler(struct state *s, char room[64]) {
  static const char *const samplers[] = {"", "normalized,repeat,linear", "clamp_to_edge,linear", "clamp", "none"};
  const unsigned which = byte(s) % 8;
  return which < 5 ? samplers[which] : which == 5 ? NULL : text(s, room);
}

static void set_argument(struct state *s) {
  static const char zeros[64];
  char room[64];
  ww_launch *launch = s->launch[pick(s)];
  const uint32_t index = byte(s) % 4;
  switch (byte(s) % 6) {
  case 0:
    judge(s, ww_launch_value(launch, index, zeros, byte(s) % 65, &s->error));
    break;
  case 1:
    judge(s, ww_launch_buffer(launch, index, s->buffer[pick(s)], number(s), &s->error));
    break;
  case 2:
    judge(s, ww_launch_local(launch, index, number(s), &s->error));
    break;
  case 3:
    judge(s, ww_launch_image(launch, index, s->image[pick(s)], &s->error));
    break;
  case 4:
    judge(s, ww_launch_sampler(launch, index, sampler(s, room), &s->error));
    break;
  default:
    judge(s, ww_launch_pipe(launch, index, s->pipe[pick(s)], &s->error));
  }
}

static void set_range(struct state *s) {
  const uint64_t global[3] = {number(s) % 100000, number(s), number(s)}, local[3] = {number(s), number(s), number(s)};
  const uint32_t dimensions = byte(s) % 5;
  judge(s, ww_launch_range(s->launch[pick(s)], dimensions, byte(s) % 2 ? local : NULL, global,
                           byte(s) % 2 ? local : NULL, &s->error));
}

static void find_local(struct state *s) {
  uint64_t local[3];
  judge(s, ww_launch_local_size(s->launch[pick(s)], local, &s->error));
}

static bool drop_metric(void *self, const ww_metric *metric) {
  (void)self;
  return metric->name != NULL;
}

static void ask_report(struct state *s) {
  const ww_report *report = s->report[pick(s)];
  char key[64] = {0};
  const ww_bytes from = bytes(s);
  double value = 0;
  const char *text = NULL;
  if (from.size)
    memcpy(key, from.data, from.size < 63 ? from.size : 63);
  ww_report_number(report, key, &value, &text);
  ww_report_number(report, "launches[0].cycles", &value, &text);
  ww_report_text(report, key, &text);
  for (size_t i = 0; i < ww_report_count(report, key); i++)
    ww_report_member(report, key, i);
  ww_hazard hazard;
  ww_report_end(report, byte(s));
  ww_report_hazard(report, byte(s), &hazard);
  judge(s, ww_report_metrics(report, drop_metric, s, &s->error));
  judge(s, ww_report_write(report, (ww_form)(byte(s) % 7), dropping, &s->error));
}

static void make_machine(struct state *s, unsigned to) {
  char word[100] = {0};
  const ww_bytes from = bytes(s);
  const char *const words[] = {word};
  ww_machine *made = NULL;
  if (from.size)
    memcpy(word, from.data, from.size < 99 ? from.size : 99);
  judge(s, byte(s) % 2 ? ww_machine_parse(s->context, from, &made, &s->error)
                       : ww_machine_with(s->machine[pick(s)], words, 1, &made, &s->error));
  ww_machine_unref(s->machine[to]);
  s->machine[to] = made;
}

static void make_program(struct state *s, unsigned to) {
  ww_program *made = NULL;
  const ww_bytes text = byte(s) % 2 ? ww_text(source) : bytes(s);
  const ww_constant constant = {byte(s), &(uint64_t){0}, ww_constant_bytes(text, byte(s))};
  const ww_build how = {.size = sizeof how, .constants = &constant, .constant_count = byte(s) % 2};
  judge(s, ww_program_build(s->context, text, &how, &made, &s->error));
  ww_program_unref(s->program[to]);
  s->program[to] = made;
}

static void make_launch(struct state *s, unsigned to) {
  ww_program *program = s->program[pick(s)];
  const ww_kernel *kernel = ww_program_kernel_at(program, byte(s) % 3);
  ww_kernel_argument(kernel, byte(s) % 4);
  ww_launch *made = NULL;
  judge(s, ww_launch_new(s->device[pick(s)], program, kernel, &made, &s->error));
  ww_launch_unref(s->launch[to]);
  s->launch[to] = made;
}

static void make_memory(struct state *s, unsigned to) {
  ww_device *device = s->device[pick(s)];
  const unsigned kind = byte(s) % 3;
  if (kind == 2) {
    ww_buffer_unref(s->buffer[to]);
    judge(s, ww_buffer_new_over(device, NULL, byte(s) % 8 ? s->own + byte(s) % 8 : NULL, byte(s), &s->buffer[to],
                                &s->error));
  } else if (kind) {
    const uint64_t wanted = number(s);
    ww_buffer_unref(s->buffer[to]);
    judge(s, ww_buffer_new(device, byte(s) % 2 ? "b" : NULL, wanted > WW_DEVICE_BYTES ? wanted : wanted % 65536,
                           &s->buffer[to], &s->error));
  } else {
    ww_pipe_unref(s->pipe[to]);
    judge(s,
          ww_pipe_new(device, "p", (uint32_t)(number(s) % 5000), (uint32_t)number(s) % 5000, &s->pipe[to], &s->error));
  }
}

/* Some texels, none, or too many. */
static uint32_t size_of(struct state *s) {
  const uint64_t wanted = number(s);
  return (uint32_t)(wanted > UINT32_C(1) << 27 ? wanted : wanted % (MOST_SIZE + 1));
}

/* Of an image over a buffer, where large sizes cost nothing: also a power of two or a number beside one. */
static uint64_t large(struct state *s) {
  const unsigned first = byte(s);
  return (UINT64_C(1) << first % 64) + (first >> 6) - 1;
}

/* The smallest number whose product with `count` wraps, rounded up to a multiple of `unit`. */
static uint64_t wrapping(uint64_t count, uint64_t unit) {
  unit += !unit;
  return (UINT64_MAX / (count + !count) / unit + 1) * unit;
}

static ww_shape shape_of(struct state *s, char kind[64], char format[64]) {
  static const char *const kinds[] = {"1d", "1d_array", "1d_buffer", "2d", "2d_array", "3d"};
  ww_image_format known = {.size = sizeof known};
  const unsigned which = byte(s);
  const bool is_known = ww_image_format_at(byte(s), &known);
  ww_shape shape = {.size = which % 16 ? (uint32_t)sizeof shape : byte(s) % 24};
  shape.kind = which % 8 < 6 ? kinds[which % 8] : which % 8 == 6 ? NULL : text(s, kind);
  shape.format = is_known && which < 240 ? strcpy(format, known.name) : text(s, format);
  shape.width = size_of(s);
  shape.height = which & 64 ? size_of(s) : 1;
  shape.depth = which & 32 ? size_of(s) : 1;
  shape.layers = which & 128 ? size_of(s) : 1;
  shape.row_pitch = byte(s) % 4 ? 0 : number(s);
  shape.slice_pitch = byte(s) % 4 ? 0 : number(s);
  if (byte(s) % 4 == 0) {
    const uint64_t layers = shape.layers > 1 ? shape.layers = (uint32_t)(large(s) % (1 << 27)) : shape.depth;
    shape.row_pitch = byte(s) % 2 ? 0 : byte(s) % 2 ? large(s) : wrapping(shape.height, known.bytes);
    shape.slice_pitch = byte(s) % 2 ? wrapping(layers - 1, known.bytes) : large(s);
  }
  return shape;
}

static void make_image(struct state *s, unsigned to) {
  char kind[64], format[64];
  const ww_shape shape = shape_of(s, kind, format);
  ww_image *made = NULL;
  judge(s, byte(s) % 2 && shape.layers <= MOST_SIZE
               ? ww_image_new(s->device[pick(s)], byte(s) % 2 ? "i" : NULL, &shape, &made, &s->error)
               : ww_image_new_over(s->buffer[pick(s)], number(s), "o", &shape, &made, &s->error));
  ww_image_unref(s->image[to]);
  s->image[to] = made;
}

/* What is inside an image fits `room`: some images lie over buffers, which have at most 65,536 bytes. */
static void move_texels(struct state *s) {
  static uint8_t room[MOST_SIZE * 65536 + MOST_SIZE * 2048 + 65536];
  static const float red[4] = {1, 0, 0, 0.5f};
  ww_image *image = s->image[pick(s)];
  const uint32_t at[3] = {size_of(s), size_of(s), size_of(s)}, region[3] = {size_of(s), size_of(s), size_of(s)};
  const bool wrap = byte(s) % 4 == 0; /* which must be refused: `room` has fewer bytes */
  const uint64_t row_pitch = wrap && region[1] > 1 ? wrapping(region[1] - byte(s) % 2, 1) : number(s) % 2048;
  const uint64_t slice_pitch = wrap && region[2] > 1 ? wrapping(region[2] - 1, 1) : number(s) % 65536;
  const bool is_there = byte(s) % 8;
  switch (byte(s) % 3) {
  case 0:
    judge(s, ww_image_fill(image, at, region, is_there ? red : NULL, &s->error));
    break;
  case 1:
    judge(s, ww_image_write(image, at, region, is_there ? room : NULL, row_pitch, slice_pitch, &s->error));
    break;
  default:
    judge(s, ww_image_read(image, at, region, is_there ? room : NULL, row_pitch, slice_pitch, &s->error));
  }
}

static void use_trace(struct state *s, unsigned to) {
  ww_report *report = NULL;
  const ww_watch watch = {.size = sizeof watch, .cycle_limit = CYCLES, .page = byte(s) % 8 == 7};
  if (byte(s) % 2) {
    const ww_bytes recorded = {s->recorded ? s->recorded : (const uint8_t *)"", s->recorded_size, NULL};
    ww_trace_unref(s->trace[to]);
    judge(s, ww_trace_open(s->context, byte(s) % 4 ? recorded : bytes(s), byte(s) % 2, &s->trace[to], &s->error));
    return;
  }
  judge(s, ww_trace_replay(s->trace[pick(s)], s->machine[pick(s)], &watch, &report, &s->error));
  if (report && s->report[to])
    judge(s, ww_diff(report, s->report[to], byte(s) % 2 ? WW_TEXT : WW_JSON, dropping, NULL, &s->error));
  ww_report_unref(report);
}

/* Of reports and traces that belong together by chance. */
static void find_why(struct state *s) {
  const ww_work work = {.size = sizeof work, .threads = 1};
  ww_report *lifted = NULL;
  judge(s, ww_report_why(s->report[pick(s)], s->trace[pick(s)], byte(s) % 2, &work, &lifted, &s->error));
  if (lifted)
    judge(s, ww_report_write(lifted, WW_JSON, dropping, &s->error));
  ww_report_unref(lifted);
}

static void evaluate(struct state *s) {
  static const double numbers[] = {0, -1.5, 1e300};
  char room[64], word[64];
  ww_expression *expression = NULL;
  ww_column columns[64];
  double values[3] = {0};
  judge(s, ww_expression_new(text(s, room), &expression, &s->error));
  const char *const words[] = {text(s, word), NULL, "2"};
  for (size_t i = 0; i < ww_expression_name_count(expression); i++)
    columns[i] = strlen(ww_expression_name_at(expression, i)) % 2 ? (ww_column){.numbers = numbers}
                                                                  : (ww_column){.words = words};
  judge(s, ww_expression_value(expression, columns, byte(s) % 4, values, &s->error));
  ww_number(word, values);
  ww_expression_unref(expression);
}

static void make_device(struct state *s, unsigned to) {
  ww_device_unref(s->device[to]);
  judge(s, ww_device_new(s->machine[pick(s)], &s->device[to], &s->error));
}

static void call(struct state *s) {
  const unsigned which = byte(s) % 18, to = pick(s);
  switch (which) {
  case 0:
    make_machine(s, to);
    break;
  case 1:
    make_program(s, to);
    break;
  case 2:
    make_device(s, to);
    break;
  case 3:
    make_memory(s, to);
    break;
  case 4:
    make_launch(s, to);
    break;
  case 5:
    set_range(s);
    break;
  case 6:
  case 7:
    set_argument(s);
    break;
  case 8:
    ask_report(s);
    break;
  case 9:
    use_trace(s, to);
    break;
  case 10:
    record_device(s);
    break;
  case 11:
    evaluate(s);
    break;
  case 12:
    find_why(s);
    break;
  case 13:
    find_local(s);
    break;
  case 14:
    make_image(s, to);
    break;
  case 15:
    move_texels(s);
    break;
  default:
    run(s, to);
  }
}

/* Initial objects, so that runs are reached. */
static void begin(struct state *s) {
  static const ww_shape shape = {.size = sizeof shape,
                                 .kind = "2d",
                                 .format = "rgba.unorm_int8",
                                 .width = 8,
                                 .height = 8,
                                 .depth = 1,
                                 .layers = 1};
  ww_machine *teaching = NULL;
  judge(s, ww_context_new(NULL, &s->context, &s->error));
  judge(s, ww_machine_load(s->context, "teaching", &teaching, &s->error));
  judge(s, ww_machine_with(teaching, (const char *const[]){"cu.count=2"}, 1, &s->machine[0], &s->error));
  ww_machine_unref(teaching);
  judge(s, ww_program_build(s->context, ww_text(source), NULL, &s->program[0], &s->error));
  judge(s, ww_device_new(s->machine[0], &s->device[0], &s->error));
  judge(s, ww_buffer_new(s->device[0], "data", 512, &s->buffer[0], &s->error));
  judge(s, ww_pipe_new(s->device[0], "pipe", 4, 8, &s->pipe[0], &s->error));
  for (unsigned i = 0; i < 2; i++) {
    judge(s,
          ww_launch_new(s->device[0], s->program[0], ww_program_kernel_at(s->program[0], i), &s->launch[i], &s->error));
    judge(s, ww_launch_range(s->launch[i], 1, NULL, (const uint64_t[]){64}, NULL, &s->error));
    judge(s, ww_launch_buffer(s->launch[i], 0, s->buffer[0], 0, &s->error));
  }
  judge(s, ww_launch_value(s->launch[0], 1, &(uint32_t){5}, 4, &s->error));
  judge(s, ww_image_new(s->device[0], "image", &shape, &s->image[0], &s->error));
  judge(s,
        ww_launch_new(s->device[0], s->program[0], ww_program_kernel_at(s->program[0], 2), &s->launch[2], &s->error));
  judge(s, ww_launch_range(s->launch[2], 1, NULL, (const uint64_t[]){64}, NULL, &s->error));
  judge(s, ww_launch_image(s->launch[2], 0, s->image[0], &s->error));
  judge(s, ww_launch_sampler(s->launch[2], 1, "clamp,linear", &s->error));
}

static void end(struct state *s) {
  for (unsigned i = 0; i < EACH; i++) {
    ww_report_unref(s->report[i]);
    ww_trace_unref(s->trace[i]);
    ww_launch_unref(s->launch[i]);
    ww_buffer_unref(s->buffer[i]);
    ww_pipe_unref(s->pipe[i]);
    ww_image_unref(s->image[i]);
    ww_device_unref(s->device[i]);
    ww_program_unref(s->program[i]);
    ww_machine_unref(s->machine[i]);
  }
  ww_context_unref(s->context);
  free(s->recorded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct state s = {.at = data, .end = data + size};
  begin(&s);
  for (int calls = 0; s.at < s.end && calls < MOST_CALLS; calls++)
    call(&s);
  end(&s);
  return 0;
}
