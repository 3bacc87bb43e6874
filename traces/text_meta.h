/* Metas as text: the forms that know nothing of what is in them. */
#ifndef TRACES_TEXT_META_H
#define TRACES_TEXT_META_H

#include <stdio.h>

#include "traces/bytes.h"

/* Between quotation marks, on one line: \n, \t, \", \\, and \xHH for what is not text. */
void text_put_string(FILE *to, const char *bytes, size_t size);

/* Its inverse, of the string at *at, which ends behind it. NULL: fine, else what is wrong. */
const char *text_take_string(const char **at, const char *end, struct bytes *into);

/* A name as it is when it is a plain word, else as a string. */
void text_put_name(FILE *to, const char *name);

/* The forms: "json" (indented), "text" (as it is), "base64", or a string when it is short. Lines get two blanks. */
void text_put_meta(FILE *to, const char *name, const uint8_t *bytes, size_t size);
void text_put_lines(FILE *to, const char *text, size_t size);

extern const char *const text_forms[];

/* The bytes of a block in one of the forms, which is known. NULL: fine, else what is wrong. */
const char *text_take_meta(const char *form, const char *text, size_t size, struct bytes *into);

#endif
