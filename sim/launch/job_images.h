/* Images of a job. Each is a buffer, hidden from job_find_buffer(), and a description (isa/image.h).
 *
 * Outside the simulated memory an image is *packed*: texel after texel, row after row, slice after slice, without gaps.
 * In simulated memory, texture.layout decides where texels lie. */
#ifndef SIM_LAUNCH_JOB_IMAGES_H
#define SIM_LAUNCH_JOB_IMAGES_H

#include "isa/image.h"
#include "sim/launch/job.h"
#include "sim/launch/picture.h"

/* A kind by its name: "2d_array". */
bool job_image_kind(const char *text, enum isa_image_kind *kind, struct message *message);

/* Parses "rgba.unorm_int8". */
bool job_image_format(const char *text, struct isa_image *image, struct message *message);

/* Parses "normalized,repeat,linear": words in any order. The defaults are not normalized, none and nearest. */
bool job_sampler(const char *text, uint32_t *sampler, struct message *message);

/* Adds an image of zeros with the kind, format and size of *shape. Its number is job->memory.image_count - 1. */
bool job_image(struct job *job, const char *name, const struct isa_image *shape, struct message *message);

/* Finds an image by name; when there is none, the message suggests the nearest name. */
bool job_find_image(const struct job *job, const char *name, size_t *image, struct message *message);

/* The image in this buffer, or NULL. */
const struct isa_image *job_image_of(const struct job *job, size_t buffer);

/* Does the kernel's parameter take images of this kind? */
bool job_image_fits(const struct isa_arg *arg, const struct isa_image *image, struct message *message);

/* The number of the image's buffer, and the image's texels in it. */
size_t job_image_buffer(const struct job *job, const struct isa_image *image);
uint8_t *job_image_texels(const struct job *job, const struct isa_image *image);

/* Its packed bytes; the caller frees them. */
uint8_t *job_image_bytes(const struct job *job, const struct isa_image *image, uint64_t *bytes);

/* Converts a picture's pixels to an image's texels, packed or in the job. Gray pictures set red, green and blue; a
 * missing alpha is 1. The sizes must be equal. */
bool job_pack_picture(const struct isa_image *image, const struct picture *picture, uint8_t *bytes,
                      struct message *message);
bool job_image_picture(struct job *job, size_t image, const struct picture *picture, struct message *message);

/* The first slice of an image as a picture with 8 bits a channel, or 16 if the image has 16. Floats are clamped to 0
 * and 1, and integers to what a channel holds. The caller frees `sample`. */
bool job_picture_of(const struct job *job, const struct isa_image *image, struct picture *picture,
                    struct message *message);

#endif
