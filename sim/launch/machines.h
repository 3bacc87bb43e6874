/* Machine files: INI, a section for each parameter group.
 *
 *     base = teaching        ; optional, and first: a built-in, or a file beside this one
 *     [dma]
 *     channels = 2           ; comments after ; or at the start of a line after ; or #
 *
 * Parameters that the file does not name keep the base's value, or their default if there is no base. The built-in
 * machines are the files of machines/, compiled in; they also show how to write one. */
#ifndef SIM_LAUNCH_MACHINES_H
#define SIM_LAUNCH_MACHINES_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/message.h"
#include "sim/base/reads.h"

struct machine;

struct preset {
  const char *name;
  const char *text;
};
extern const struct preset presets[];
extern const size_t preset_count;

/* A longer chain of bases is a loop. */
enum { MACHINE_BASES = 8, MACHINE_FILE_BYTES = 1 << 20, MACHINE_LINE = 198 /* inih's limit */ };

const struct preset *preset_find(const char *name);

/* Appends one line: the name, and the first sentence of the file's first comment, with its lines joined. */
struct text;
void preset_describe(const struct preset *preset, struct text *text);

/* Reads a built-in machine by name (NULL: the usual one), or a file (any name with a '/' or an extension). `from` is
 * the file that names it, and file names are relative to that; NULL means the command line. Only the command line may
 * name a file that does not end in .ini, because messages quote what a file contains. Afterwards each parameter is
 * legal by itself; machine_check() checks them together. */
bool machine_load(const char *name, const char *from, struct reads *reads, struct machine *machine,
                  struct message *message);

/* Reads a machine from the text of such a file; `file` gives the machine its name, and names the text in messages. */
bool machine_read(const char *text, const char *file, struct machine *machine, struct message *message);

/* Set one parameter: everything that a user says of a machine's parameters ends here. machine_put() takes the key and
 * the value, machine_set() "key=value". */
bool machine_put(struct machine *machine, const char *key, const char *value, struct message *message);
bool machine_set(struct machine *machine, const char *assignment, struct message *message);

/* Checks the parameters together. */
bool machine_settle(const struct machine *machine, struct message *message);

/* What a user asks of a machine, over what the file to run says. The layers, from below, each over the one before it:
 *
 *     the usual machine ──► the file's `machine` ──► `name` ──► the file's `set` ──► `set` ──► checked together
 *     └──────────────── machine_choose() ─────────────────┘     (its reader)     └──── machine_adjust() ────┘
 *
 * {0}: what the file says. */
struct machine_request {
  const char *name, *from;    /* the file that names the machine; NULL: the command line */
  const struct machine *made; /* the machine itself, instead of all layers below `set`; NULL: none */
  bool made_elsewhere;        /* of a trace: `made` gets the instruction set of the recording */
  const char *const *set;     /* "key=value" */
  size_t set_count;
};

/* `theirs`: the machine that `file` names; NULL: none. What is wrong with it is reported without a place, whatever else
 * with the option's name. */
bool machine_choose(const struct machine_request *request, const char *theirs, const char *file, struct reads *reads,
                    struct machine *machine, struct message *message);
bool machine_adjust(const struct machine_request *request, struct machine *machine, struct message *message);

#endif
