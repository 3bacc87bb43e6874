/* Writes all of something to a descriptor. write() alone may write only a part, and may be interrupted. */
#ifndef SIM_BASE_PUT_H
#define SIM_BASE_PUT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* On failure returns false and leaves errno set; a part may have been written. */
static inline bool put_all(int file, const void *data, size_t size) {
  const char *at = data;
  while (size) {
    const ssize_t put = write(file, at, size);
    if (put < 0 && errno != EINTR)
      return false;
    at += put > 0 ? put : 0;
    size -= put > 0 ? (size_t)put : 0;
  }
  return true;
}

#endif
