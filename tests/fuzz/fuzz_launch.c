/* Any launch file gives an error in one line, or a job whose images fit their buffers. Runs from the root of the
 * project, so that a file that starts like examples/01_seed/launch.json finds its kernel. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/heap.h"
#include "sim/launch/job_images.h"
#include "sim/launch/launch_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
const char *__asan_default_options(void);

/* Gigabytes of buffers are legal and slow. */
const char *__asan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=64"; }

/* ---- a file --------------------------------------------------------------------------------- */

struct file {
  const char *text;
  size_t size;
};

static void check_images(const struct job *job) {
  for (size_t i = 0; i < job->memory.image_count; i++) {
    const struct isa_image *image = &job->memory.images[i];
    const __uint128_t texels = (__uint128_t)image->width * image->height * image->depth * image->layers;
    if (texels * image->texel_bytes > job->memory.buffers[job_image_buffer(job, image)].bytes)
      abort();
  }
}

static void parse(void *self) {
  const struct file *file = self;
  const struct job_request request = {.verify = true};
  struct message message = {""};
  struct job job = {0};
  const bool good = launch_parse(file->text, file->size, "examples/01_seed/launch.json", &request, &job, &message);
  if (good ? !job.launch_count : !message.text[0])
    abort();
  check_images(&job);
  job_free(&job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t wanted = 0;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  if (!heap_try(NULL, parse, &(struct file){text, size}, &wanted) && wanted == HEAP_DEFECT)
    abort();
  free(text);
  return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static uint64_t random_of(unsigned *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 4;
}

/* Replaces a number by a power of two or one beside it: products of such sizes wrap. */
static size_t put_limit(uint8_t *data, size_t size, size_t room, unsigned seed) {
  char number[24];
  size_t at = size ? random_of(&seed) % size : 0;
  while (at < size && !isdigit(data[at]))
    at++;
  size_t end = at;
  while (end < size && isdigit(data[end]))
    end++;
  const uint64_t limit = (UINT64_C(1) << random_of(&seed) % 64) + random_of(&seed) % 3 - 1;
  const size_t length = (size_t)snprintf(number, sizeof number, "%llu", (unsigned long long)limit);
  if (at == end || size - (end - at) + length > room)
    return LLVMFuzzerMutate(data, size, room);
  memmove(data + at + length, data + end, size - end);
  memcpy(data + at, number, length);
  return size - (end - at) + length;
}

/* An image whose size is small if the product of its sizes wraps: the best of some. */
static size_t put_image(uint8_t *data, size_t room, unsigned seed) {
  uint64_t best[3] = {0}, least = UINT64_MAX;
  for (int i = 0; i < 10000; i++) {
    const uint64_t width = random_of(&seed) % (1 << 27) + 1, height = 8 * (random_of(&seed) % 64 + 1);
    const uint64_t slice = (16 * width + 63) / 64 * 64 * height, layers = UINT64_MAX / slice + 1;
    if (layers > 1 << 27 || slice * layers >= least)
      continue;
    least = slice * layers;
    memcpy(best, (uint64_t[]){width, height, layers}, sizeof best);
  }
  const int length =
      snprintf((char *)data, room,
               "{\"program\": \"kernel.wws\", \"images\": {\"i\": {\"kind\": \"2d_array\", \"format\": \"rgba.float\", "
               "\"width\": %llu, \"height\": %llu, \"layers\": %llu}},\n\"launches\": [{\"kernel\": \"seed\", "
               "\"global\": [1]}]}",
               (unsigned long long)best[0], (unsigned long long)best[1], (unsigned long long)best[2]);
  return (size_t)length < room ? (size_t)length : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  const uint64_t which = random_of(&seed) % 1024;
  return which == 0    ? put_image(data, room, seed)
         : which < 256 ? put_limit(data, size, room, seed)
                       : LLVMFuzzerMutate(data, size, room);
}
