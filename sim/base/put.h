/* Writing all of something to a descriptor: write() may take part of it, and may be interrupted. */
#ifndef SIM_BASE_PUT_H
#define SIM_BASE_PUT_H

#include <stdbool.h>
#include <stddef.h>

/* False leaves errno; a part may have been written. */
bool put_all(int file, const void *data, size_t size);

#endif
