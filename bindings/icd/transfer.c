/* Commands that move bytes: between host and buffers, between buffers, as rectangles, by mapping. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/sizes.h"

static bool is_buffer(const void *memory) {
  return icd_is(memory, ICD_MEMORY) && ((cl_mem)memory)->type == CL_MEM_OBJECT_BUFFER;
}

/* Checks that the buffer belongs to the queue's context and allows the access; `refused` are flags that forbid it. */
static cl_int check_buffer(cl_command_queue queue, cl_mem memory, cl_mem_flags refused) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!is_buffer(memory))
    return CL_INVALID_MEM_OBJECT;
  if (memory->context != queue->context)
    return CL_INVALID_CONTEXT;
  return memory->flags & refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

#define NOT_READ (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define NOT_WRITTEN (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

/* ---- boxes of bytes --------------------------------------------------------------------------------------- */

/* Moves region[0] bytes of each of region[1] rows of region[2] slices. A plain range is one row of one slice. */
static void move_box(const struct icd_command *command, uint8_t *to, const uint8_t *from) {
  const size_t *region = command->region;
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      memmove(to + command->to_at[0] + (command->to_at[1] + y) * command->to_pitch[0] +
                  (command->to_at[2] + z) * command->to_pitch[1],
              from + command->from_at[0] + (command->from_at[1] + y) * command->from_pitch[0] +
                  (command->from_at[2] + z) * command->from_pitch[1],
              region[0]);
}

static cl_int run_move(struct icd_command *command, struct icd_work *work) {
  uint8_t *to = command->to ? icd_bytes(command->to) : command->host;
  const uint8_t *from = command->from ? icd_bytes(command->from) : command->host;
  const size_t bytes = command->region[0] * command->region[1] * command->region[2];
  if (!to || !from)
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  move_box(command, to, from);
  *work = icd_moving(command, command->from ? ICD_TO_HOST : ICD_TO_DEVICE, bytes, 1);
  return CL_COMPLETE;
}

static void set_range(struct icd_command *command, size_t from, size_t to, size_t size) {
  command->from_at[0] = from;
  command->to_at[0] = to;
  command->region[0] = size;
  command->region[1] = command->region[2] = 1;
}

/* ---- between host and buffer ------------------------------------------------------------------------------ */

static cl_int enqueue_range(cl_command_queue queue, cl_command_type type, cl_mem memory, size_t offset, size_t size,
                            void *host, bool blocking, ICD_WAITS) {
  const bool reads = type == CL_COMMAND_READ_BUFFER;
  cl_int status = check_buffer(queue, memory, reads ? NOT_READ : NOT_WRITTEN);
  if (status == CL_SUCCESS)
    status = host ? icd_check_range(memory, offset, size) : CL_INVALID_VALUE;
  if (status != CL_SUCCESS)
    return status;
  struct icd_command *command = icd_command(queue, type, count, waits, run_move, &status);
  if (!command)
    return status;
  *(reads ? &command->from : &command->to) = icd_ref(memory);
  command->host = host;
  set_range(command, reads ? offset : 0, reads ? 0 : offset, size);
  return icd_enqueue(command, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                    size_t offset, size_t size, void *host, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_range(queue, CL_COMMAND_READ_BUFFER, buffer, offset, size, host, blocking, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                     size_t offset, size_t size, const void *host, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_range(queue, CL_COMMAND_WRITE_BUFFER, buffer, offset, size, (void *)(uintptr_t)host, blocking, count,
                       waits, event);
}

/* ---- between buffers -------------------------------------------------------------------------------------- */

static cl_int run_copy(struct icd_command *command, struct icd_work *work) {
  const size_t bytes = command->region[0] * command->region[1] * command->region[2];
  const cl_int status = run_move(command, work);
  *work = icd_moving(command, ICD_COMPUTE, bytes, 2);
  return status;
}

static bool same_bytes(cl_mem a, cl_mem b) { return (a->parent ? a->parent : a) == (b->parent ? b->parent : b); }

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at,
                                                    size_t to_at, size_t size, ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = check_buffer(queue, from, 0);
  if (status == CL_SUCCESS)
    status = check_buffer(queue, to, 0);
  if (status == CL_SUCCESS)
    status = icd_check_range(from, from_at, size);
  if (status == CL_SUCCESS)
    status = icd_check_range(to, to_at, size);
  if (status != CL_SUCCESS)
    return status;
  const size_t a = from->origin + from_at, b = to->origin + to_at;
  if (same_bytes(from, to) && a < b + size && b < a + size)
    return CL_MEM_COPY_OVERLAP;
  struct icd_command *command = icd_command(queue, CL_COMMAND_COPY_BUFFER, count, waits, run_copy, &status);
  if (!command)
    return status;
  command->from = icd_ref(from);
  command->to = icd_ref(to);
  set_range(command, from_at, to_at, size);
  return icd_enqueue(command, false, event);
}

/* ---- rectangles ------------------------------------------------------------------------------------------- */

/* One side of a rectangle: in a buffer, or in host memory. */
struct side {
  cl_mem memory; /* NULL: host memory */
  const size_t *at;
  size_t pitch[2];
};

/* Whether the side has valid pitches and ends within the memory. A slice consists of whole rows. */
static bool is_box(struct side *side, const size_t region[3]) {
  size_t end;
  return icd_box_end(side->at, region, side->pitch, &end) &&
         end <= (side->memory ? side->memory->size : ICD_MOST_HOST) && side->pitch[1] % side->pitch[0] == 0;
}

/* The first byte of a row, counted through all slices. */
static size_t row_at(const size_t at[3], const size_t region[3], const size_t pitch[2], size_t row) {
  return (at[2] + row / region[1]) * pitch[1] + (at[1] + row % region[1]) * pitch[0] + at[0];
}

/* Whether the boxes share a byte of the memory that has both buffers. Compares the rows of both in the order of their
 * addresses, because boxes with gaps may interleave. */
static bool overlap(const struct side *from, const struct side *to, const size_t region[3]) {
  const size_t rows = region[1] * region[2];
  for (size_t i = 0, j = 0; i < rows && j < rows;) {
    const size_t a = from->memory->origin + row_at(from->at, region, from->pitch, i);
    const size_t b = to->memory->origin + row_at(to->at, region, to->pitch, j);
    if (a < b + region[0] && b < a + region[0])
      return true;
    i += a < b;
    j += a >= b;
  }
  return false;
}

static cl_int enqueue_box(cl_command_queue queue, cl_command_type type, struct side from, struct side to,
                          const size_t *region, void *host, bool blocking, ICD_WAITS) {
  const bool copies = type == CL_COMMAND_COPY_BUFFER_RECT;
  cl_int status = CL_SUCCESS;
  if (type != CL_COMMAND_WRITE_BUFFER_RECT)
    status = check_buffer(queue, from.memory, copies ? 0 : NOT_READ);
  if (status == CL_SUCCESS && type != CL_COMMAND_READ_BUFFER_RECT)
    status = check_buffer(queue, to.memory, copies ? 0 : NOT_WRITTEN);
  if (status != CL_SUCCESS)
    return status;
  if ((!copies && !host) || !from.at || !to.at || !region || !is_box(&from, region) || !is_box(&to, region))
    return CL_INVALID_VALUE;
  if (from.memory == to.memory && from.pitch[0] != to.pitch[0] && from.pitch[1] != to.pitch[1])
    return CL_INVALID_VALUE;
  if (copies && same_bytes(from.memory, to.memory) && overlap(&from, &to, region))
    return CL_MEM_COPY_OVERLAP;
  struct icd_command *command = icd_command(queue, type, count, waits, copies ? run_copy : run_move, &status);
  if (!command)
    return status;
  command->from = icd_ref(from.memory);
  command->to = icd_ref(to.memory);
  command->host = host;
  memcpy(command->region, region, sizeof command->region);
  memcpy(command->from_at, from.at, sizeof command->from_at);
  memcpy(command->to_at, to.at, sizeof command->to_at);
  memcpy(command->from_pitch, from.pitch, sizeof command->from_pitch);
  memcpy(command->to_pitch, to.pitch, sizeof command->to_pitch);
  return icd_enqueue(command, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                        const size_t *buffer_at, const size_t *host_at,
                                                        const size_t *region, size_t buffer_row, size_t buffer_slice,
                                                        size_t host_row, size_t host_slice, void *host, ICD_WAITS) {
  const struct side inside = {buffer, buffer_at, {buffer_row, buffer_slice}};
  const struct side outside = {NULL, host_at, {host_row, host_slice}};
  ICD_LOCKED;
  return enqueue_box(queue, CL_COMMAND_READ_BUFFER_RECT, inside, outside, region, host, blocking, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                         const size_t *buffer_at, const size_t *host_at,
                                                         const size_t *region, size_t buffer_row, size_t buffer_slice,
                                                         size_t host_row, size_t host_slice, const void *host,
                                                         ICD_WAITS) {
  const struct side inside = {buffer, buffer_at, {buffer_row, buffer_slice}};
  const struct side outside = {NULL, host_at, {host_row, host_slice}};
  ICD_LOCKED;
  return enqueue_box(queue, CL_COMMAND_WRITE_BUFFER_RECT, outside, inside, region, (void *)(uintptr_t)host, blocking,
                     count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                        const size_t *from_at, const size_t *to_at,
                                                        const size_t *region, size_t from_row, size_t from_slice,
                                                        size_t to_row, size_t to_slice, ICD_WAITS) {
  const struct side source = {from, from_at, {from_row, from_slice}}, target = {to, to_at, {to_row, to_slice}};
  ICD_LOCKED;
  return enqueue_box(queue, CL_COMMAND_COPY_BUFFER_RECT, source, target, region, NULL, false, count, waits, event);
}

/* ---- filling ---------------------------------------------------------------------------------------------- */

static cl_int run_fill(struct icd_command *command, struct icd_work *work) {
  uint8_t *to = icd_bytes(command->to);
  if (!to)
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  for (size_t i = 0; i < command->region[0]; i += command->pattern_size)
    memcpy(to + command->to_at[0] + i, command->pattern, command->pattern_size);
  *work = icd_moving(command, ICD_COMPUTE, command->region[0], 1);
  return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern,
                                                    size_t pattern_size, size_t offset, size_t size, ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = check_buffer(queue, memory, 0);
  if (status != CL_SUCCESS)
    return status;
  if (!pattern || !pattern_size || pattern_size > ICD_PATTERN || pattern_size & (pattern_size - 1) ||
      offset % pattern_size || size % pattern_size || offset > memory->size || size > memory->size - offset)
    return CL_INVALID_VALUE;
  struct icd_command *command = icd_command(queue, CL_COMMAND_FILL_BUFFER, count, waits, run_fill, &status);
  if (!command)
    return status;
  command->to = icd_ref(memory);
  command->to_at[0] = offset;
  command->region[0] = size;
  command->pattern_size = pattern_size;
  memcpy(command->pattern, pattern, pattern_size);
  return icd_enqueue(command, false, event);
}

/* ---- mapping: the bytes themselves, or the host's memory ------------------------------------------------------ */

static cl_int run_map(struct icd_command *command, struct icd_work *work) {
  cl_mem memory = command->from;
  const uint8_t *bytes = icd_bytes(memory);
  if (!bytes)
    return CL_MAP_FAILURE;
  if (memory->host && memory->host != bytes)
    memcpy((uint8_t *)memory->host + command->from_at[0], bytes + command->from_at[0], command->region[0]);
  /* pattern[0] is false for CL_MAP_WRITE_INVALIDATE_REGION: the old contents are not needed, so nothing moves. */
  *work = icd_moving(command, ICD_TO_HOST, command->pattern[0] ? command->region[0] : 0, 1);
  return CL_COMPLETE;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size, ICD_WAITS,
                                                  cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  *status = check_buffer(queue, memory, (flags & CL_MAP_READ ? NOT_READ : 0) | (flags & writes ? NOT_WRITTEN : 0));
  if (*status == CL_SUCCESS && (flags & ~(CL_MAP_READ | writes) ||
                                (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE))))
    *status = CL_INVALID_VALUE;
  if (*status == CL_SUCCESS)
    *status = icd_check_range(memory, offset, size);
  uint8_t *bytes = *status == CL_SUCCESS ? (memory->host ? memory->host : icd_bytes(memory)) : NULL;
  struct icd_map *map = bytes ? malloc(sizeof *map) : NULL;
  if (!map) {
    *status = *status == CL_SUCCESS ? CL_MAP_FAILURE : *status;
    return NULL;
  }
  struct icd_command *command = icd_command(queue, CL_COMMAND_MAP_BUFFER, count, waits, run_map, status);
  if (!command) {
    free(map);
    return NULL;
  }
  *map = (struct icd_map){.at = bytes + offset, .offset = offset, .size = size, .flags = flags, .next = memory->maps};
  memory->maps = map;
  memory->mapped++;
  command->from = icd_ref(memory);
  command->from_at[0] = offset;
  command->region[0] = size;
  command->pattern[0] = flags != CL_MAP_WRITE_INVALIDATE_REGION;
  *status = icd_enqueue(command, blocking, event);
  return *status == CL_SUCCESS ? bytes + offset : NULL;
}

static cl_int run_unmap(struct icd_command *command, struct icd_work *work) {
  cl_mem memory = command->to;
  uint8_t *bytes = icd_bytes(memory);
  if (!bytes)
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (memory->host && memory->host != bytes && command->region[0])
    memcpy(bytes + command->to_at[0], (uint8_t *)memory->host + command->to_at[0], command->region[0]);
  memory->mapped--;
  *work = icd_moving(command, ICD_TO_DEVICE, command->region[0], 1);
  return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *at, ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = CL_SUCCESS;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!icd_is(memory, ICD_MEMORY) || memory->type == CL_MEM_OBJECT_PIPE)
    return CL_INVALID_MEM_OBJECT;
  if (memory->context != queue->context)
    return CL_INVALID_CONTEXT;
  struct icd_map **map = &memory->maps;
  while (*map && (*map)->at != at)
    map = &(*map)->next;
  if (!*map)
    return CL_INVALID_VALUE;
  if (memory->image)
    return icd_unmap_image(queue, memory, map, count, waits, event);
  struct icd_command *command = icd_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, waits, run_unmap, &status);
  if (!command)
    return status;
  struct icd_map *gone = *map;
  command->to = icd_ref(memory);
  command->to_at[0] = gone->offset;
  command->region[0] = gone->flags != CL_MAP_READ ? gone->size : 0;
  *map = gone->next;
  free(gone);
  return icd_enqueue(command, false, event);
}

/* ---- migration: bytes move only when a command on a device needs them ------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint memory_count,
                                                           const cl_mem *memory, cl_mem_migration_flags flags,
                                                           ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = CL_SUCCESS;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!memory_count || !memory || flags > (CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < memory_count; i++) {
    if (!icd_is(memory[i], ICD_MEMORY))
      return CL_INVALID_MEM_OBJECT;
    if (memory[i]->context != queue->context)
      return CL_INVALID_CONTEXT;
  }
  struct icd_command *command = icd_command(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, waits, NULL, &status);
  return command ? icd_enqueue(command, false, event) : status;
}
