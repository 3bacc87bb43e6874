/* The command line as pages: docs/commands.md, and a man page for each verb, generated from the rows that the parser
 * reads. */
#ifndef TOOLS_DOCS_PAGES_H
#define TOOLS_DOCS_PAGES_H

#include "sim/base/text.h"
#include "sim/cli/rows.h"

/* docs/commands.md; the caller frees it. */
char *commands_manual(void);

/* The man page of a verb or a group; NO_VERB: of the program. In roff, for the `man` macros; the caller frees it. Its
 * name is like "warpwait-trace-info.1". */
enum { PAGE_NAME = 64 };
char *man_page(enum verb verb);
void man_name(enum verb verb, char name[PAGE_NAME]);

/* A piece of a row's text: lines to fold, or one or more verbatim lines. False: there are no more. */
struct piece {
  const char *words;
  size_t length; /* without the last newline */
  bool verbatim;
};
bool next_piece(const char **at, struct piece *piece);

#endif
