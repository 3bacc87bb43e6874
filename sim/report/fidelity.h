/* How far the figures of launches like this one are known to be off.
 *
 *     measured rows ──tests/hw/fidelity.py──► fidelity.def, compiled in ──► the row of a launch ──► "off by 4.1 %"
 *
 * A class is the limit that the accounts name and the main kinds of operations (fidelity.kinds.def). The table has the
 * median and the 90th percentile of the errors of the measurements in each class. A launch whose class has too few
 * measurements is compared with all of its limit; if these are too few, with all there are.
 *
 * Invariant: the script takes the class of a measurement from the report of its run, so that both go by the same rule.
 *
 * Not modelled: sizes. A launch far longer than any that was measured is in the same class as these. */
#ifndef SIM_REPORT_FIDELITY_H
#define SIM_REPORT_FIDELITY_H

#include <jansson.h>

#include "sim/session/job.h"

enum fidelity_kind {
#define OP(id, ...) FIDELITY_##id,
#define RUN(id, ...) FIDELITY_##id,
#include "sim/report/fidelity.kinds.def"
#undef OP
#undef RUN
  FIDELITY_KINDS
};

struct fidelity_kind_row {
  const char *name; /* "loads" */
  bool main;        /* part of a class */
  unsigned rows;    /* measurements that have it */
};
extern const struct fidelity_kind_row fidelity_kind_rows[FIDELITY_KINDS];

/* The measurements of a class. */
struct fidelity_row {
  const char *limit;      /* a key of `utilisation`, a bucket of `stalls`, or "none"; NULL: any */
  const char *operations; /* "loads, barriers"; NULL: any */
  unsigned rows;
  double median, most; /* of the absolute relative errors, in percent; `most`: the 90th percentile */
};
extern const struct fidelity_row fidelity_rows[];
extern const size_t fidelity_row_count;

/* Fewer measurements than this say nothing of a class, and do not cover a kind. */
extern const unsigned fidelity_fewest;

enum fidelity_machine {
  FIDELITY_VALIDATED, /* as it was held against measurements */
  FIDELITY_CHANGED,   /* that one with other parameters */
  FIDELITY_NO_DEVICE, /* a built-in machine that models no device */
  FIDELITY_OWN,       /* a machine file of the user's */
};

struct fidelity {
  enum fidelity_machine machine;
  const char *limit, *said;       /* by the accounts: the key, and words for it; NULL: not finished */
  uint64_t kinds, main;           /* those that the launch has, and those of its class: a bit each */
  const struct fidelity_row *row; /* NULL unless the machine was validated and the launch finished */
  uint64_t uncovered;             /* kinds that too few measurements have; 0 where there is no row */
};

/* `machine`: fidelity_of_machine()'s, which a report asks for once. */
struct fidelity fidelity_of(const struct job *job, size_t launch, const struct launch_result *result,
                            enum fidelity_machine machine);

/* The row of a class: its own, or that of its limit, or that of all. */
const struct fidelity_row *fidelity_find(const char *limit, const char *operations);

/* What the machine of a run is to the one that was validated; `file`: as its machine file has it. Reads presets. */
enum fidelity_machine fidelity_of_machine(const struct machine *machine, const struct machine *file);

/* "loads, barriers"; "" for none. The caller frees it. */
char *fidelity_words(uint64_t kinds);

/* A sentence or two, without an end of line; the caller frees them. And the report's object. */
char *fidelity_sentence(const struct fidelity *fidelity, const struct job *job);
json_t *fidelity_json(const struct fidelity *fidelity, const struct job *job);

#endif
