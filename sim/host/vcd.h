/* Waveform files, finished: SystemC writes under a partial name; what it leaves is given its name only
 * when it is whole, and without the date, so that two runs compare byte for byte. */
#ifndef SIM_HOST_VCD_H
#define SIM_HOST_VCD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turns the file `partial` into `path`; false, with errno, when that fails. `partial` is gone either way. */
bool vcd_finish(const char *partial, const char *path);

#ifdef __cplusplus
}
#endif

#endif
