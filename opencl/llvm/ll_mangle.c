#include "opencl/llvm/ll_mangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SUBSTITUTES = 32, MOST_DEPTH = 8 };

struct reader {
  const char *at;
  struct mangle_type substitute[MOST_SUBSTITUTES]; /* S_, S0_, S1_, ... in the order in which types end */
  unsigned substitutes, depth;
  bool failed;
};

static void add(struct reader *r, struct mangle_type type) {
  if (r->substitutes < MOST_SUBSTITUTES)
    r->substitute[r->substitutes++] = type;
}

/* A number before a name or an underscore. */
static unsigned long take_number(struct reader *r) {
  char *end;
  const unsigned long number = isdigit((unsigned char)*r->at) ? strtoul(r->at, &end, 10) : 0;
  if (isdigit((unsigned char)*r->at))
    r->at = end;
  return number;
}

static bool take(struct reader *r, const char *word) {
  if (strncmp(r->at, word, strlen(word)))
    return false;
  r->at += strlen(word);
  return true;
}

/* S_ is number 0, S0_ 1, SA_ 11. */
static struct mangle_type take_substitute(struct reader *r) {
  unsigned number = 0;
  bool first = true;
  for (; isdigit((unsigned char)*r->at) || isupper((unsigned char)*r->at); r->at++) {
    number = (first ? 0 : number * 36) + (unsigned)(isdigit((unsigned char)*r->at) ? *r->at - '0' : *r->at - 'A' + 10);
    first = false;
    if (number > MOST_SUBSTITUTES)
      break;
  }
  number += !first;
  if (!take(r, "_") || number >= r->substitutes) {
    r->failed = true;
    return (struct mangle_type){0};
  }
  return r->substitute[number];
}

static struct mangle_type take_type(struct reader *r);

/* Qualifiers apply to what follows; together they are one substitute. */
static struct mangle_type take_qualified(struct reader *r) {
  struct mangle_type more = {0};
  for (;;) {
    if (take(r, "U7_Atomic")) {
      more.atomic = true;
    } else if (*r->at == 'U') {
      r->at++;
      const unsigned long length = take_number(r);
      if (length > strlen(r->at)) {
        r->failed = true;
        break;
      }
      if (length >= 3 && !strncmp(r->at, "AS", 2))
        more.space = (uint8_t)strtoul(r->at + 2, NULL, 10);
      r->at += length;
    } else if (*r->at == 'V' || *r->at == 'K' || *r->at == 'r') {
      more.is_volatile |= *r->at++ == 'V';
    } else {
      break;
    }
  }
  struct mangle_type type = take_type(r);
  type.atomic |= more.atomic;
  type.is_volatile |= more.is_volatile;
  type.space = more.space ? more.space : type.space;
  add(r, type);
  return type;
}

static struct mangle_type take_type(struct reader *r) {
  struct mangle_type type = {.count = 1};
  if (r->failed || ++r->depth > MOST_DEPTH) {
    r->failed = true;
    return type;
  }
  const char c = *r->at;
  if (c == 'P') {
    r->at++;
    type = take_type(r);
    r->failed |= type.pointer && type.letter == 0;
    type.pointer = true;
    add(r, type);
  } else if (c == 'U' || c == 'V' || c == 'K' || c == 'r') {
    type = take_qualified(r);
  } else if (take(r, "Dv")) {
    const unsigned long count = take_number(r);
    take(r, "_");
    type = take_type(r);
    type.count = count <= 16 ? (uint8_t)count : 0;
    add(r, type);
  } else if (take(r, "Dh") || take(r, "DF16_")) {
    type.letter = 'H';
  } else if (c == 'S') {
    r->at++;
    type = take_substitute(r);
  } else if (isdigit((unsigned char)c)) {
    const unsigned long length = take_number(r);
    type.letter = 'N';
    if (length > strlen(r->at) || length >= sizeof type.name) {
      r->failed = true;
    } else {
      snprintf(type.name, sizeof type.name, "%.*s", (int)length, r->at);
      r->at += length;
      add(r, type);
    }
  } else if (c && strchr("vbcahstijlmxyfd", c)) {
    type.letter = c;
    r->at++;
  } else {
    r->failed = true;
  }
  r->depth--;
  return type;
}

bool mangle_read(const char *text, struct mangle *mangle) {
  struct reader reader = {.at = text};
  *mangle = (struct mangle){.count = 0};
  if (!take(&reader, "_Z"))
    return false;
  const unsigned long length = take_number(&reader);
  if (!length || length > strlen(reader.at) || length >= sizeof mangle->name)
    return false;
  memcpy(mangle->name, reader.at, length);
  reader.at += length;
  while (*reader.at && !reader.failed && mangle->count < MANGLE_MOST_PARAMETERS) {
    const struct mangle_type type = take_type(&reader);
    if (!reader.failed && type.letter != 'v')
      mangle->parameter[mangle->count++] = type;
    else if (!reader.failed && type.pointer)
      mangle->parameter[mangle->count++] = type;
  }
  return true;
}

unsigned mangle_bits(char letter) {
  switch (letter) {
  case 'b':
    return 1;
  case 'c':
  case 'a':
  case 'h':
    return 8;
  case 's':
  case 't':
  case 'H':
    return 16;
  case 'i':
  case 'j':
  case 'f':
    return 32;
  case 'l':
  case 'm':
  case 'x':
  case 'y':
  case 'd':
    return 64;
  default:
    return 0;
  }
}

bool mangle_is_real(char letter) { return letter == 'f' || letter == 'd' || letter == 'H'; }

bool mangle_is_signed(char letter) { return letter && strchr("casilx", letter); }
