#include "models/result.h"

#include <stdlib.h>

/* clang-format off */
#define STALL(id, ...) {__VA_ARGS__},
const struct stall_row stall_rows[STALLS] = {
#include "models/stalls.def"
};
#undef STALL

#define STAT(...) STAT_ROW(struct cu_stats, __VA_ARGS__)
static const struct stat_row cu_stat_rows[] = {
#include "models/cu.stats.def"
};
#undef STAT
/* clang-format on */

const struct stat_group cu_stat_group = {"cu", "Compute units", cu_stat_rows,
                                         sizeof cu_stat_rows / sizeof *cu_stat_rows};

const char *const launch_end_names[] = {[END_FINISHED] = "finished",
                                        [END_DEADLOCK] = "deadlock",
                                        [END_CYCLE_LIMIT] = "cycle_limit",
                                        [END_STOPPED] = "stopped"};

void launch_result_free(struct launch_result *result) {
  free(result->by_pc);
  free(result->pipes);
  *result = (struct launch_result){0};
}
