/* Images of a job: each is a buffer of its own, which nobody can name as one, and what isa/image.h knows of it.
 *
 * Outside of the simulated memory an image is *packed*: texel after texel, row after row, slice after slice, without
 * gaps. In it the texels lie as the machine's texture.layout says. */
#ifndef SIM_SESSION_JOB_IMAGES_H
#define SIM_SESSION_JOB_IMAGES_H

#include "sim/session/job.h"
#include "sim/session/picture.h"

/* "2d_array" */
bool job_image_kind(const char *text, enum isa_image_kind *kind, struct message *message);

/* "rgba.unorm_int8" */
bool job_image_format(const char *text, struct isa_image *image, struct message *message);

/* "normalized,repeat,linear": words in any order, those that are not said are not normalized, none, nearest. */
bool job_sampler(const char *text, uint32_t *sampler, struct message *message);

/* Adds an image of zeros whose kind, format and size are in *shape. Its number is job->memory.image_count - 1. */
bool job_image(struct job *job, const char *name, const struct isa_image *shape, struct message *message);

/* The number of an image, or false with the nearest name in the message. */
bool job_find_image(const struct job *job, const char *name, size_t *image, struct message *message);

/* The image that a buffer is; NULL: it is none. */
const struct isa_image *job_image_of(const struct job *job, size_t buffer);

/* Whether an argument of a kernel wants images of its kind. */
bool job_image_fits(const struct isa_arg *arg, const struct isa_image *image, struct message *message);

/* The number of the buffer that an image is, and where its texels lie. */
size_t job_image_buffer(const struct job *job, const struct isa_image *image);
uint8_t *job_image_texels(const struct job *job, const struct isa_image *image);

/* Its packed bytes; the caller frees them. */
uint8_t *job_image_bytes(const struct job *job, const struct isa_image *image, uint64_t *bytes);

/* A picture's pixels as an image's texels, packed or in a job: missing colors are gray or 0, a missing alpha is 1.
 * Sizes must agree. */
bool job_pack_picture(const struct isa_image *image, const struct picture *picture, uint8_t *bytes,
                      struct message *message);
bool job_image_picture(struct job *job, size_t image, const struct picture *picture, struct message *message);

/* The first slice of an image as a picture of 8 bits a channel, or of 16 where its channels have more; floats beyond 0
 * and 1, and integers beyond what a channel holds, are cut off. The owner frees `sample`. */
bool job_picture_of(const struct job *job, const struct isa_image *image, struct picture *picture,
                    struct message *message);

#endif
