/* Devices, buffers and pipes.
 *
 * Global memory begins at ISA_GLOBAL_BASE. A new buffer takes the lowest address where it fits with an unowned gap on
 * both sides, so that an access beyond its ends is detected. The space of a freed buffer is reused. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { ALIGN = 4096, GAP = 65536 };

/* Where shared buffers begin: nothing else in a process lies here, and other buffers get here only after very many
 * bytes. */
#define SHARED_BASE (UINT64_C(1) << 38)

/* ---- device --------------------------------------------------------------------------------------------------- */

struct device_call {
  ww_machine *machine;
  ww_device **made;
};

static ww_status make_device(void *self, struct message *message) {
  struct device_call *call = self;
  ww_device *device = need(1, sizeof *device);
  (void)message;
  atomic_init(&device->references, 1);
  if (pthread_mutex_init(&device->lock, NULL))
    heap_out(sizeof device->lock);
  device->machine = ww_machine_ref(call->machine);
  *call->made = device;
  return WW_OK;
}

ww_status ww_device_new(ww_machine *machine, ww_device **device, ww_error *error) {
  struct device_call call = {machine, device};
  API_MADE(device);
  API_GIVEN(machine);
  return api_try(NULL, make_device, &call, error);
}

API_REF(ww_device)

void ww_device_unref(ww_device *device) {
  if (!device || !api_unref(&device->references))
    return;
  for (size_t i = 0; i < device->variable_count; i++)
    api_variables_free(device, &device->variables[i]);
  heap_pool_empty(&device->pool);
  free(device->variables);
  free(device->buffers);
  free(device->images);
  pthread_mutex_destroy(&device->lock);
  ww_machine_unref(device->machine);
  free(device);
}

uint64_t ww_device_now(const ww_device *device) {
  return !device ? 0 : device->before + (device->engine ? engine_now(device->engine) : 0);
}

ww_machine *ww_device_machine(const ww_device *device) { return device ? device->machine : NULL; }

/* ---- exclusive access ------------------------------------------------------------------------------------------ */

static void unlock(void *device) { pthread_mutex_unlock(&((ww_device *)device)->lock); }

void api_device_lock(ww_device *device) {
  pthread_mutex_lock(&device->lock);
  heap_hold(unlock, device);
}

void api_device_unlock(ww_device *device) {
  heap_release(device);
  unlock(device);
}

bool api_device_begin(ww_device *device) {
  api_device_lock(device);
  const bool free = !device->runs;
  device->runs = true;
  api_device_unlock(device);
  if (free)
    ww_device_ref(device);
  return free;
}

/* The recovery point has freed the open reservations. */
static void close_pipe(struct isa_pipe *pipe) {
  pipe->queue[ISA_PIPE_READ] = pipe->queue[ISA_PIPE_WRITE] = (struct isa_pipe_queue){0};
  for (int d = 0; d < 2; d++)
    pipe->reserved[d] = pipe->done[d];
  pipe->open = 0;
}

void api_device_lose(ww_device *device, cycle_t now) {
  heap_pool_empty(&device->pool);
  device->engine = NULL;
  device->before = now;
  device->recording_lost = device->recording_lost || device->recording;
  device->recording = NULL;
  api_device_lock(device);
  device->recorded = false;
  for (size_t i = 0; i < device->count; i++)
    if (device->buffers[i]->pipe.data)
      close_pipe(&device->buffers[i]->pipe);
  api_device_unlock(device);
  for (size_t i = 0; i < device->variable_count; i++)
    for (size_t k = 0; k < device->variables[i].channel_count; k++)
      close_pipe(&device->variables[i].channels[k]);
}

/* ---- addresses ------------------------------------------------------------------------------------------------- */

static uint64_t behind(const struct ww_buffer *buffer) {
  return (buffer->base + buffer->bytes + GAP + ALIGN - 1) / ALIGN * ALIGN;
}

/* The lowest address with room: *number of the buffers lie before it. False: there is none. */
static bool find_place(const ww_device *device, uint64_t bytes, size_t *number, uint64_t *base) {
  *base = ISA_GLOBAL_BASE;
  for (*number = 0; *number < device->count; ++*number) {
    const struct ww_buffer *next = device->buffers[*number];
    if (*base + bytes + GAP <= next->base)
      return true;
    *base = behind(next);
  }
  return *base + bytes <= ISA_GLOBAL_BASE + WW_DEVICE_BYTES;
}

/* Whether it fits at `base`; if not, *next is the nearest address where it may fit. */
static bool fits_at(const ww_device *device, uint64_t base, uint64_t bytes, size_t *number, uint64_t *next) {
  *number = 0;
  while (*number < device->count && behind(device->buffers[*number]) <= base)
    ++*number;
  const struct ww_buffer *after = *number < device->count ? device->buffers[*number] : NULL;
  *next = after ? behind(after) : base;
  return !after || base + bytes + GAP <= after->base;
}

static void insert(ww_device *device, size_t number, struct ww_buffer *buffer) {
  memmove(&device->buffers[number + 1], &device->buffers[number], (device->count - number) * sizeof buffer);
  device->buffers[number] = buffer;
  device->count++;
}

static void remove_buffer(ww_device *device, const struct ww_buffer *buffer) {
  size_t number = 0;
  while (device->buffers[number] != buffer)
    number++;
  device->count--;
  memmove(&device->buffers[number], &device->buffers[number + 1], (device->count - number) * sizeof buffer);
}

/* ---- buffers --------------------------------------------------------------------------------------------------- */

struct buffer_call {
  ww_device *device;
  const char *name;
  uint64_t bytes;
  uint32_t packet_bytes, packets, number; /* 0: not a pipe */
  const struct ww_buffer *with;           /* its memory becomes the shared buffer's */
  void *data;                             /* the caller's; NULL: the buffer's own */
  void *made;
};

static bool check_buffer(const struct buffer_call *call, struct message *message) {
  const struct ww_buffer *any = NULL;
  if (!*call->name || strlen(call->name) >= sizeof any->name)
    return message_fail(message, "name: must have 1 to %zu bytes", sizeof any->name - 1);
  if (call->device->count == JOB_BUFFERS)
    return message_fail(message, "more than %d buffers and pipes on the device", JOB_BUFFERS);
  return (call->bytes && call->bytes <= WW_DEVICE_BYTES) ||
         message_fail(message, "bytes: %" PRIu64 " is outside [1, %" PRIu64 "] bytes", call->bytes, WW_DEVICE_BYTES);
}

static void make_room(ww_device *device) {
  device->buffers = vector_room(device->buffers, &device->room, device->count + 1, sizeof *device->buffers);
}

static void add_to_device(ww_device *device, size_t number, struct ww_buffer *buffer) {
  insert(device, number, buffer);
  buffer->run = device->run;
  buffer->device = ww_device_ref(device);
}

/* Places the buffer on the device, and its pipe if it has one. Everything that can fail precedes the first change to
 * the device. */
static bool place_buffer(const struct buffer_call *call, struct ww_buffer *buffer, struct message *message) {
  ww_device *device = call->device;
  const uint32_t packets = call->packets;
  size_t number = 0;
  if (!find_place(device, call->bytes, &number, &buffer->base))
    return message_fail(message, "bytes: the device has no room for %" PRIu64 " more bytes", call->bytes);
  if (packets)
    isa_pipe_init(&buffer->pipe, call->name, call->number, buffer->base, buffer->data, call->packet_bytes, packets);
  make_room(device);
  add_to_device(device, number, buffer);
  return true;
}

static uint8_t *new_bytes(uint64_t bytes) {
  uint8_t *data = calloc(need_size(bytes), 1);
  if (!data)
    heap_out(need_size(bytes));
  return data;
}

static void free_bytes(const struct ww_buffer *buffer) {
  if (!buffer->over)
    free(buffer->data);
}

/* Requires the device's lock. */
static bool add_buffer(const struct buffer_call *call, struct ww_buffer *buffer, struct message *message) {
  atomic_init(&buffer->references, 1);
  buffer->bytes = call->bytes;
  snprintf(buffer->name, sizeof buffer->name, "%s", call->name);
  buffer->over = call->data;
  buffer->data = call->data ? call->data : new_bytes(call->bytes);
  if (place_buffer(call, buffer, message))
    return true;
  free_bytes(buffer);
  return false;
}

static ww_status new_buffer(struct buffer_call *call, size_t size, struct message *message) {
  if (!check_buffer(call, message))
    return WW_BAD_INPUT;
  struct ww_buffer *buffer = need(1, size);
  if (add_buffer(call, buffer, message)) {
    call->made = buffer;
    return WW_OK;
  }
  free(buffer);
  return WW_BAD_INPUT;
}

static ww_status make_buffer(void *self, struct message *message) {
  struct buffer_call *call = self;
  API_LOCKED(call->device);
  return new_buffer(call, sizeof(ww_buffer), message);
}

ww_status ww_buffer_new(ww_device *device, const char *name, uint64_t bytes, ww_buffer **buffer, ww_error *error) {
  struct buffer_call call = {.device = device, .name = name ? name : "buffer", .bytes = bytes};
  API_MADE(buffer);
  API_GIVEN(device);
  const ww_status status = api_try(NULL, make_buffer, &call, error);
  *buffer = call.made;
  return status;
}

/* Needs no alignment: every access to a buffer's bytes is a memcpy() within its bounds. */
ww_status ww_buffer_new_over(ww_device *device, const char *name, void *data, uint64_t bytes, ww_buffer **buffer,
                             ww_error *error) {
  struct buffer_call call = {.device = device, .name = name ? name : "buffer", .bytes = bytes, .data = data};
  API_MADE(buffer);
  API_GIVEN(device);
  API_GIVEN(data);
  const ww_status status = api_try(NULL, make_buffer, &call, error);
  *buffer = call.made;
  return status;
}

API_REF(ww_buffer)

/* Open reservations are in the device's pool. */
static ww_status free_pipe(void *self, struct message *message) {
  (void)message;
  isa_pipe_free(self);
  return WW_OK;
}

/* Takes an unreferenced buffer from the device. False: a run in progress uses it. A pipe created after the run began
 * has no open reservations. */
static bool take_back(struct ww_buffer *buffer) {
  ww_device *device = buffer->device;
  api_device_lock(device);
  const bool in_use = device->runs && buffer->run < device->run;
  if (in_use) {
    buffer->next = device->given_up;
    device->given_up = buffer;
  } else {
    if (buffer->pipe.data)
      api_try(device->runs ? NULL : &device->pool, free_pipe, &buffer->pipe, NULL);
    remove_buffer(device, buffer);
  }
  api_device_unlock(device);
  return !in_use;
}

static void unref_shared(struct api_shared *shared) {
  if (!api_unref(&shared->references))
    return;
  munmap(shared->at, shared->size);
  free(shared);
}

static void free_buffer(struct ww_buffer *buffer) {
  ww_device *device = buffer->device;
  if (!take_back(buffer))
    return;
  if (buffer->shared)
    unref_shared(buffer->shared);
  else
    free_bytes(buffer);
  free(buffer);
  ww_device_unref(device);
}

void api_device_end(ww_device *device) {
  api_device_lock(device);
  struct ww_buffer *given_up = device->given_up;
  device->given_up = NULL;
  device->runs = false;
  api_device_unlock(device);
  while (given_up) {
    struct ww_buffer *next = given_up->next;
    free_buffer(given_up);
    given_up = next;
  }
  ww_device_unref(device);
}

void ww_buffer_unref(ww_buffer *buffer) {
  if (buffer && api_unref(&buffer->references))
    free_buffer(buffer);
}

/* ---- shared buffers ---------------------------------------------------------------------------------------------- */

/* Maps memory at the first address that is free both on the device and in the process. False: there is none. */
static bool map(const ww_device *device, struct api_shared *shared, size_t *number) {
  uint64_t base = SHARED_BASE, next = 0;
  while (base + shared->size <= ISA_GLOBAL_BASE + WW_DEVICE_BYTES) {
    if (!fits_at(device, base, shared->size, number, &next)) {
      base = next;
      continue;
    }
    shared->at = mmap((void *)(uintptr_t)base, shared->size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (shared->at == (void *)(uintptr_t)base)
      return true;
    if (shared->at != MAP_FAILED)
      munmap(shared->at, shared->size);
    else if (errno != EEXIST)
      return false;
    base += (shared->size + GAP + ALIGN - 1) / ALIGN * ALIGN;
  }
  return false;
}

static bool share(const struct buffer_call *call, struct ww_buffer *buffer, struct message *message) {
  size_t number = 0;
  uint64_t next = 0;
  make_room(call->device);
  if (call->with) {
    buffer->shared = call->with->shared;
    if (!fits_at(call->device, call->with->base, call->bytes, &number, &next))
      return message_fail(message, "with: another buffer of this device is at its address");
    api_ref(&buffer->shared->references);
  } else {
    buffer->shared = need(1, sizeof *buffer->shared);
    buffer->shared->size = call->bytes;
    atomic_init(&buffer->shared->references, 1);
    if (!map(call->device, buffer->shared, &number)) {
      free(buffer->shared);
      return message_fail(message, "bytes: no room for %" PRIu64 " more shared bytes", call->bytes);
    }
  }
  atomic_init(&buffer->references, 1);
  snprintf(buffer->name, sizeof buffer->name, "%s", call->name);
  buffer->bytes = call->bytes;
  buffer->data = buffer->shared->at;
  buffer->base = (uintptr_t)buffer->shared->at;
  add_to_device(call->device, number, buffer);
  return true;
}

static ww_status make_shared(void *self, struct message *message) {
  struct buffer_call *call = self;
  API_LOCKED(call->device);
  if (call->with && (!call->with->shared || call->with->device == call->device))
    return api_judge(message_fail(message, "with: must be a shared buffer of another device"));
  call->bytes = call->with ? call->with->bytes : call->bytes;
  if (!check_buffer(call, message))
    return WW_BAD_INPUT;
  struct ww_buffer *buffer = need(1, sizeof *buffer);
  if (share(call, buffer, message)) {
    call->made = buffer;
    return WW_OK;
  }
  free(buffer);
  return WW_BAD_INPUT;
}

ww_status ww_buffer_new_shared(ww_device *device, const char *name, uint64_t bytes, const ww_buffer *with,
                               ww_buffer **buffer, ww_error *error) {
  struct buffer_call call = {.device = device, .name = name ? name : "shared", .bytes = bytes, .with = with};
  API_MADE(buffer);
  API_GIVEN(device);
  const ww_status status = api_try(NULL, make_shared, &call, error);
  *buffer = call.made;
  return status;
}

/* ---- what a buffer is ------------------------------------------------------------------------------------------ */

void *ww_buffer_data(ww_buffer *buffer) { return buffer ? buffer->data : NULL; }

uint64_t ww_buffer_bytes(const ww_buffer *buffer) { return buffer ? buffer->bytes : 0; }

uint64_t ww_buffer_address(const ww_buffer *buffer) { return buffer ? buffer->base : 0; }

/* ---- pipes ----------------------------------------------------------------------------------------------------- */

/* The lowest free pipe number; reservation ids contain it. 0: there is none. */
static uint32_t free_number(const ww_device *device) {
  bool taken[ISA_MOST_PIPES + 1] = {0};
  for (size_t i = 0; i < device->count; i++)
    if (device->buffers[i]->pipe.data)
      taken[device->buffers[i]->pipe.number] = true;
  for (uint32_t number = 1; number <= ISA_MOST_PIPES; number++)
    if (!taken[number])
      return number;
  return 0;
}

static bool check_pipe(const struct buffer_call *call, struct message *message) {
  if (!call->number)
    return message_fail(message, "more than %d pipes on the device", ISA_MOST_PIPES);
  if (!call->packet_bytes || call->packet_bytes > ISA_MOST_PACKET_BYTES)
    return message_fail(message, "packet_bytes: %u is outside [1, %d] bytes", call->packet_bytes,
                        ISA_MOST_PACKET_BYTES);
  return (call->packets && call->packets <= ISA_MOST_PACKETS) ||
         message_fail(message, "packets: %u is outside [1, %d] packets", call->packets, ISA_MOST_PACKETS);
}

static ww_status make_pipe(void *self, struct message *message) {
  struct buffer_call *call = self;
  API_LOCKED(call->device);
  call->number = free_number(call->device);
  if (!check_pipe(call, message))
    return WW_BAD_INPUT;
  call->bytes = isa_pipe_bytes(call->packet_bytes, call->packets);
  return new_buffer(call, sizeof(ww_pipe), message);
}

ww_status ww_pipe_new(ww_device *device, const char *name, uint32_t packet_bytes, uint32_t packets, ww_pipe **pipe,
                      ww_error *error) {
  struct buffer_call call = {
      .device = device, .name = name ? name : "pipe", .packet_bytes = packet_bytes, .packets = packets};
  API_MADE(pipe);
  API_GIVEN(device);
  const ww_status status = api_try(NULL, make_pipe, &call, error);
  *pipe = call.made;
  return status;
}

ww_pipe *ww_pipe_ref(ww_pipe *pipe) {
  if (pipe)
    api_ref(&pipe->buffer.references);
  return pipe;
}

void ww_pipe_unref(ww_pipe *pipe) {
  if (pipe && api_unref(&pipe->buffer.references))
    free_buffer(&pipe->buffer);
}

uint32_t ww_pipe_packets(const ww_pipe *pipe) {
  return pipe ? (uint32_t)isa_pipe_available(&pipe->buffer.pipe, ISA_PIPE_READ) : 0;
}

const void *ww_pipe_packet(const ww_pipe *pipe, uint32_t i) {
  return i < ww_pipe_packets(pipe) ? isa_pipe_packet(&pipe->buffer.pipe, i) : NULL;
}
