/* The known error of the numbers of a launch, from measurements of similar ones.
 *
 *     measured rows ──hw/fidelity.py──► fidelity.def, compiled in ──► the row of a launch ──► "off by 4.1 %"
 *
 * A class is the limit found by accounting together with the main kinds of operations (fidelity.kinds.def). For each
 * class, the table has the median and the 90th percentile of the errors of its measurements. If a launch's class has
 * too few measurements, all measurements with its limit count; if these are too few, all measurements do.
 *
 * Invariant: the script takes the class of a measurement from the report of its run, so both use the same rule.
 *
 * Not modeled: sizes. A launch far longer than any measured one is in the same class. */
#ifndef SIM_REPORT_FIDELITY_H
#define SIM_REPORT_FIDELITY_H

#include <jansson.h>

#include "models/result.h"
#include "sim/launch/job.h"

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

/* The errors of a class's measurements. */
struct fidelity_row {
  const char *limit;      /* a key of `utilization`, a bucket of `stalls`, or "none"; NULL: any */
  const char *operations; /* "loads, barriers"; NULL: any */
  unsigned rows;
  double median, most; /* median and 90th percentile (`most`) of the absolute relative errors, in percent */
};
extern const struct fidelity_row fidelity_rows[];
extern const size_t fidelity_row_count;

/* With fewer measurements than this, a class has no row, and a kind is not covered. */
extern const unsigned fidelity_fewest;

enum fidelity_machine {
  FIDELITY_VALIDATED, /* as it was compared with measurements */
  FIDELITY_CHANGED,   /* the same with other parameters */
  FIDELITY_NO_DEVICE, /* a built-in machine that models no real device */
  FIDELITY_OWN,       /* the user's own machine file */
  FIDELITY_IMPORTED,  /* any machine, with another simulator's trace, which was never compared with measurements */
};

struct fidelity {
  enum fidelity_machine machine;
  const char *limit, *said;       /* from accounting: the limit's key, and words for it; NULL: not finished */
  uint64_t kinds, main;           /* the launch's kinds, and those that are in its class: bitmaps */
  const struct fidelity_row *row; /* NULL unless the machine was validated and the launch finished */
  uint64_t uncovered;             /* kinds with too few measurements; 0 if there is no row */
};

/* `machine` is the result of fidelity_of_machine(), which a report calls once. */
struct fidelity fidelity_of(const struct job *job, size_t launch, const struct launch_result *result,
                            enum fidelity_machine machine);

/* The row of a class: its own, else that of its limit, else that of all measurements. */
const struct fidelity_row *fidelity_find(const char *limit, const char *operations);

/* How the machine of a run relates to the validated one; `file`: as loaded from its machine file. Reads presets. */
enum fidelity_machine fidelity_of_machine(const struct machine *machine, const struct machine *file);

/* "loads, barriers"; "" for none. The caller frees it. */
char *fidelity_words(uint64_t kinds);

/* One or two sentences without a final newline, which the caller frees; and the report's object. */
char *fidelity_sentence(const struct fidelity *fidelity, const struct job *job);
json_t *fidelity_json(const struct fidelity *fidelity, const struct job *job);

#endif
