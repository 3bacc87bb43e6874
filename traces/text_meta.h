/* Metas as text: the forms that do not depend on the contents. */
#ifndef TRACES_TEXT_META_H
#define TRACES_TEXT_META_H

#include <stdio.h>

#include "traces/bytes.h"

/* A string in quotation marks on one line: with \n, \t, \", \\, and \xHH for bytes that are not text. */
void text_put_string(FILE *to, const char *bytes, size_t size);

/* Parses the string at *at and moves *at past it. Returns NULL, or what is wrong. */
const char *text_take_string(const char **at, const char *end, struct bytes *into);

/* Writes a name: as it is if it is a plain word, else as a string. */
void text_put_name(FILE *to, const char *name);

/* The forms: "json" (indented), "text" (unchanged), "base64", or a string if it is short. Lines are indented by two
 * blanks. */
void text_put_meta(FILE *to, const char *name, const uint8_t *bytes, size_t size);
void text_put_lines(FILE *to, const char *text, size_t size);

extern const char *const text_forms[];

/* The bytes of a block in one of the forms, which must be known. Returns NULL, or what is wrong. */
const char *text_take_meta(const char *form, const char *text, size_t size, struct bytes *into);

#endif
