/* The processors of the host. */
#ifndef SIM_BASE_PROCESSORS_H
#define SIM_BASE_PROCESSORS_H

#include <unistd.h>

/* How many are online, at least 1. */
static inline unsigned processors_online(void) {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (unsigned)count;
}

#endif
