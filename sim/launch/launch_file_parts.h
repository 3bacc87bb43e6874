/* Shared by the parts of the launch file's reader; no other file includes it. */
#ifndef SIM_LAUNCH_LAUNCH_FILE_PARTS_H
#define SIM_LAUNCH_LAUNCH_FILE_PARTS_H

#include "sim/base/json.h"
#include "sim/launch/launch_file.h"

struct text;

struct launch_reader {
  struct document document;
  const struct job_request *request;
  struct job *job;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Reports at `place` the error that a job function left in the document's message; returns false. */
bool launch_refuse(struct launch_reader *reader, const struct place *place);

/* A value as on the command line: a number or a string, or several, separated by commas. The caller frees the text. */
bool launch_words(struct launch_reader *reader, const struct place *place, const json_t *value, struct text *words);

/* Finds a type by name. */
bool launch_type(struct launch_reader *reader, const struct place *place, const json_t *value, struct type *type);

/* Reads a file whose name is relative to the launch file; *data is NULL if the command only lists files (--files). */
bool launch_file(struct launch_reader *reader, const struct place *place, const char *name, char **data, size_t *size);

/* Like launch_file(), for a file of exactly `bytes` bytes. */
bool launch_bytes(struct launch_reader *reader, const struct place *place, const json_t *name, uint64_t bytes,
                  uint8_t **data);

/* Finds a buffer, a pipe or an image by name: job_find_buffer() and so on. */
typedef bool launch_finder(const struct job *job, const char *name, size_t *number, struct message *message);
bool launch_find(struct launch_reader *reader, const struct place *place, const json_t *value, launch_finder *find,
                 size_t *number);

/* An image's texels from a file, packed; the caller frees them. NULL if the command only lists files. */
bool launch_texels(struct launch_reader *reader, const struct place *place, const json_t *name,
                   const struct isa_image *image, uint8_t **bytes);

/* Fills a buffer according to the object's `fill` and `seed`. */
bool launch_fill(struct launch_reader *reader, const struct place *place, const json_t *object, size_t buffer);

/* Sections of the launch file. */
bool launch_build(struct launch_reader *reader, const struct place *place, const json_t *build);
bool launch_buffer(struct launch_reader *reader, const struct place *place, const json_t *buffer); /* one of them */
bool launch_pipe(struct launch_reader *reader, const struct place *place, const json_t *pipe);
bool launch_image(struct launch_reader *reader, const struct place *place, const json_t *image);
bool launch_launches(struct launch_reader *reader, const struct place *place, const json_t *launches);
bool launch_checks(struct launch_reader *reader, const struct place *place, const json_t *checks);
bool launch_diagnostics(struct launch_reader *reader, const struct place *place, const json_t *rules);

#endif
