#include "traces/text_meta.h"

enum { STRING_BYTES = 80, BASE64_LINE = 57 /* bytes: 76 characters */, JSON_DEPTH = 64 };

/* ---- strings ---------------------------------------------------------------------------------- */

static bool is_control(uint8_t byte) { return byte < ' ' || byte == 0x7f; }

/* Bytes above 127 stay as they are, without a check for valid UTF-8. */
void text_put_string(FILE *to, const char *bytes, size_t size) {
  fputc('"', to);
  for (size_t i = 0; i < size; i++) {
    const uint8_t byte = (uint8_t)bytes[i];
    if (byte == '\n')
      fputs("\\n", to);
    else if (byte == '\t')
      fputs("\\t", to);
    else if (byte == '"' || byte == '\\')
      fprintf(to, "\\%c", byte);
    else if (is_control(byte))
      fprintf(to, "\\x%02x", byte);
    else
      fputc(byte, to);
  }
  fputc('"', to);
}

static int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* The byte for what follows a backslash; -1 if that is not allowed. */
static int escaped(const char **at, const char *end) {
  if (*at == end)
    return -1;
  const char c = *(*at)++;
  if (c == 'n' || c == 't')
    return c == 'n' ? '\n' : '\t';
  if (c == '"' || c == '\\')
    return c;
  if (c != 'x' || end - *at < 2)
    return -1;
  const int high = hex_digit((*at)[0]), low = hex_digit((*at)[1]);
  *at += 2;
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

const char *text_take_string(const char **at, const char *end, struct bytes *into) {
  for (++*at; *at < end && **at != '"';) {
    const char c = *(*at)++;
    const int byte = c == '\\' ? escaped(at, end) : (uint8_t)c;
    if (byte < 0)
      return "a string whose escapes are \\n, \\t, \\\", \\\\ or \\xHH";
    bytes_add(into, &(char){(char)byte}, 1);
  }
  if (*at == end)
    return "a string that ends with a quotation mark";
  ++*at;
  return NULL;
}

static bool plain_name(const char *name) {
  for (const char *c = name; *c; c++)
    if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9') && !strchr("._-+/", *c))
      return false;
  return *name;
}

void text_put_name(FILE *to, const char *name) {
  if (plain_name(name))
    fputs(name, to);
  else
    text_put_string(to, name, strlen(name));
}

/* ---- lines -------------------------------------------------------------------------------------- */

void text_put_lines(FILE *to, const char *text, size_t size) {
  for (const char *at = text, *end = text + size; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    if (stop > at)
      fprintf(to, "  %.*s", (int)(stop - at), at);
    fputc('\n', to);
    at = stop + 1;
  }
}

/* Whether it is whole lines without control characters, so that it survives as text. */
static bool is_text(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (is_control(bytes[i]) && bytes[i] != '\n' && bytes[i] != '\t')
      return false;
  return size && bytes[size - 1] == '\n';
}

static bool is_short(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (is_control(bytes[i]))
      return false;
  return size <= STRING_BYTES;
}

/* ---- JSON with indentation ---------------------------------------------------------------- */

/* The end of the string that begins at `at`. */
static const char *behind_string(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    at += *at == '\\' && end - at > 1;
  return at < end ? at + 1 : end;
}

/* Whether it looks like compact JSON: matching braces, not too deep to indent, blanks only inside strings, and no line
 * ends. */
static bool is_tight_json(const char *text, size_t size) {
  size_t depth = 0;
  const char *end = text + size;
  if (size < 2 || *text != '{' || end[-1] != '}')
    return false;
  for (const char *at = text; at < end;) {
    const char *next = *at == '"' ? behind_string(at, end) : at + 1;
    if (*at == '"' && (next - at < 2 || next[-1] != '"'))
      return false;
    for (const char *c = at; c < next; c++)
      if (is_control((uint8_t)*c) || (*at != '"' && *c == ' '))
        return false;
    depth += *at == '{' || *at == '[';
    if (depth > JSON_DEPTH)
      return false;
    if ((*at == '}' || *at == ']') && !depth--)
      return false;
    at = next;
  }
  return !depth;
}

/* The end of the list at `at` if it contains no list or object. Else NULL. */
static const char *flat_end(const char *at, const char *end) {
  const char *stop = at + 1;
  while (stop < end && *stop != ']' && *stop != '}') {
    if (*stop == '{' || *stop == '[')
      return NULL;
    stop = *stop == '"' ? behind_string(stop, end) : stop + 1;
  }
  return stop < end && (*at == '[' || stop == at + 1) ? stop + 1 : NULL;
}

static void put_flat(FILE *to, const char *at, const char *end) {
  while (at < end) {
    const char *next = *at == '"' ? behind_string(at, end) : at + 1;
    fwrite(at, 1, (size_t)(next - at), to);
    if (*at == ',')
      fputc(' ', to);
    at = next;
  }
}

static void put_json(FILE *to, const char *text, size_t size) {
  int depth = 1;
  const char *end = text + size;
  fputs("  ", to);
  for (const char *at = text, *next; at < end; at = next) {
    const bool opens = *at == '{' || *at == '[', closes = *at == '}' || *at == ']';
    next = opens ? flat_end(at, end) : *at == '"' ? behind_string(at, end) : at + 1;
    if (opens && next) {
      put_flat(to, at, next);
      continue;
    }
    next = next ? next : at + 1;
    depth += opens - closes;
    if (closes)
      fprintf(to, "\n%*s", 2 * depth, "");
    fwrite(at, 1, (size_t)(next - at), to);
    if (opens || *at == ',')
      fprintf(to, "\n%*s", 2 * depth, "");
    else if (*at == ':')
      fputc(' ', to);
  }
  fputc('\n', to);
}

static const char *take_json(const char *text, size_t size, struct bytes *into) {
  const char *end = text + size;
  for (const char *at = text; at < end;) {
    const char *next = *at == '"' ? behind_string(at, end) : at + 1;
    if (!strchr(" \t\r\n", *at))
      bytes_add(into, at, (size_t)(next - at));
    at = next;
  }
  return NULL;
}

/* ---- base64 ------------------------------------------------------------------------------------------ */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_base64(FILE *to, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i < 3 ? size - i : 3;
    const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? (uint32_t)bytes[i + 2] : 0);
    if (i % BASE64_LINE == 0)
      fputs(i ? "\n  " : "  ", to);
    for (unsigned digit = 0; digit < 4; digit++)
      fputc(digit <= left ? digits[three >> (18 - 6 * digit) & 63] : '=', to);
  }
  fputs(size ? "\n" : "", to);
}

static const char *take_base64(const char *text, size_t size, struct bytes *into) {
  uint32_t bits = 0;
  unsigned count = 0, ends = 0;
  for (size_t i = 0; i < size; i++) {
    if (strchr(" \t\r\n", text[i]))
      continue;
    const char *digit = text[i] == '=' ? NULL : strchr(digits, text[i]);
    if (text[i] == '=' ? ++ends > 2 : !digit || ends)
      return "base64";
    bits = bits << 6 | (digit ? (uint32_t)(digit - digits) : 0);
    if (++count % 4)
      continue;
    const uint8_t three[] = {(uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
    bytes_add(into, three, 3 - ends);
  }
  return count % 4 ? "base64, which has four characters for three bytes" : NULL;
}

/* ---- forms ----------------------------------------------------------------------------------------------- */

static const char *take_text(const char *text, size_t size, struct bytes *into) {
  bytes_add(into, text, size);
  return NULL;
}

static const struct {
  const char *name;
  const char *(*take)(const char *text, size_t size, struct bytes *into);
} forms[] = {{"text", take_text}, {"json", take_json}, {"base64", take_base64}};

const char *const text_forms[] = {"text", "json", "base64", NULL};

void text_put_meta(FILE *to, const char *name, const uint8_t *bytes, size_t size) {
  const char *text = (const char *)bytes;
  fputs("meta ", to);
  text_put_name(to, name);
  if (is_tight_json(text, size)) {
    fputs(" json {\n", to);
    put_json(to, text, size);
  } else if (is_short(bytes, size)) {
    fputc(' ', to);
    text_put_string(to, text, size);
    fputc('\n', to);
    return;
  } else if (is_text(bytes, size)) {
    fputs(" text {\n", to);
    text_put_lines(to, text, size);
  } else {
    fputs(" base64 {\n", to);
    put_base64(to, bytes, size);
  }
  fputs("}\n", to);
}

const char *text_take_meta(const char *form, const char *text, size_t size, struct bytes *into) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(form, forms[i].name) == 0)
      return forms[i].take(text, size, into);
  return "a form";
}
