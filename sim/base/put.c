#include "sim/base/put.h"

#include <errno.h>
#include <unistd.h>

bool put_all(int file, const void *data, size_t size) {
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
