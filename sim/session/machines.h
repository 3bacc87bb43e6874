/* Machine files: INI, a section a parameter group.
 *
 *     base = teaching        ; first, if at all: a built-in, or a file beside this one
 *     [dma]
 *     channels = 2           ; comments after ; or at the start of a line after ; or #
 *
 * Parameters not named keep the base's value, or without a base their default. The built-in
 * machines are the files of machines/, compiled in; each is also a model of how to write one. */
#ifndef SIM_SESSION_MACHINES_H
#define SIM_SESSION_MACHINES_H

#include "models/machine.h"
#include "sim/base/message.h"
#include "sim/base/reads.h"

struct preset {
  const char *name;
  const char *text;
};
extern const struct preset presets[];
extern const size_t preset_count;

/* Bases of bases of bases: more than this is a loop. */
enum { MACHINE_BASES = 8, MACHINE_FILE_BYTES = 1 << 20, MACHINE_LINE = 198 /* inih's limit */ };

const struct preset *preset_find(const char *name);

/* A line: its name, and the first sentence of the file's first comment, whose lines are joined. */
struct text;
void preset_describe(const struct preset *preset, struct text *text);

/* Reads a machine by name (a built-in) or by file (anything with a '/' or an extension); a file is
 * sought beside `from`, the file that names it, unless that is NULL: the command line does. Only files of the command
 * line may be called other than NAME.ini, since messages quote what they hold. The parameters are each legal
 * afterwards, but see machine_check(). */
bool machine_load(const char *name, const char *from, struct reads *reads, struct machine *machine,
                  struct message *message);

/* A machine from the text of such a file alone, which is called after `file`. */
bool machine_read(const char *text, const char *file, struct machine *machine, struct message *message);

/* Reads INI text over what *machine holds; `file` names it in messages. */
bool machine_parse(const char *text, const char *file, struct machine *machine, struct message *message);

/* Sets one parameter from "key=value". */
bool machine_set(struct machine *machine, const char *assignment, struct message *message);

#endif
