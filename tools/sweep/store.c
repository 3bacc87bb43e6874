#include "tools/sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "tools/sweep/store_parts.h"

enum {
  CELL = 1 << 24,        /* most bytes of a cell or a row: ours have few, but a foreign file might fill memory */
  BUSY_TIMEOUT = 60000,  /* milliseconds that readers may delay a commit, and a commit readers */
  LOCK_TRIES = 50,       /* half a second: the workers of a killed sweep may be just ending */
  LOCK_BYTE = 0x40001000 /* after those that SQLite locks, which are 512 from 2^30 on */
};

/* ---- statements ------------------------------------------------------------------------------------ */

/* Why the system refused an operation. SQLite records no number for failed writes, but errno is still unchanged. */
static int system_error(const struct store *store, int error) {
  static const int writing[] = {EFBIG, EDQUOT, EROFS, EACCES, EPERM};
  const int known = sqlite3_system_errno(store->database);
  for (size_t i = 0; !known && i < sizeof writing / sizeof *writing; i++)
    if (error == writing[i])
      return error;
  return known ? known : EIO;
}

bool store_fail(struct store *store, struct message *message) {
  const int code = sqlite3_errcode(store->database), error = errno;
  const char *verb = store->lock < 0 ? "read" : "written", *path = store->path;
  switch (code & 0xff) {
  case SQLITE_NOTADB:
    message_fail(message, "%.300s: is not a SQLite database", path);
    break;
  case SQLITE_CORRUPT:
    message_fail(message, "%.300s: is damaged: %.120s", path, sqlite3_errmsg(store->database));
    break;
  case SQLITE_BUSY:
    message_fail(message, "%.300s: cannot be %s: another process has locked it for %d s", path, verb,
                 BUSY_TIMEOUT / 1000);
    break;
  case SQLITE_FULL:
    message_fail(message, "%.300s: cannot be %s: %s", path, verb, text_errno(ENOSPC));
    break;
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
    message_fail(message, "%.300s: cannot be %s: %s", path, verb, text_errno(system_error(store, error)));
    break;
  case SQLITE_READONLY:
    message_fail(message, "%.300s: cannot be %s: %s%s", path, verb, text_errno(EACCES),
                 code == SQLITE_READONLY_DIRECTORY ? " (its journal)" : "");
    break;
  default:
    message_fail(message, "%.300s: cannot be %s: %.120s", path, verb, sqlite3_errmsg(store->database));
  }
  return false;
}

bool store_execute(struct store *store, char *sql, struct message *message) {
  const int status = sql ? sqlite3_exec(store->database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
  sqlite3_free(sql);
  return status == SQLITE_OK || store_fail(store, message);
}

sqlite3_stmt *store_prepare(struct store *store, char *sql, struct message *message) {
  sqlite3_stmt *statement = NULL;
  if (!sql || sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
    store_fail(store, message);
  sqlite3_free(sql);
  return statement;
}

bool store_finish(struct store *store, sqlite3_stmt *statement, int status, struct message *message) {
  const bool good = status == SQLITE_DONE || store_fail(store, message);
  sqlite3_finalize(statement);
  return good;
}

bool store_begin(struct store *store, struct message *message) {
  return !sqlite3_get_autocommit(store->database) || store_execute(store, sqlite3_mprintf("BEGIN IMMEDIATE"), message);
}

bool store_commit(struct store *store, struct message *message) {
  if (sqlite3_get_autocommit(store->database) || store_execute(store, sqlite3_mprintf("COMMIT"), message))
    return true;
  sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
  return false;
}

/* ---- opening --------------------------------------------------------------------------------------- */

static bool fail_open(const struct store *store, const char *what, struct message *message) {
  return message_fail(message, "%.300s: %s", store->path, what);
}

static bool is_regular(const struct store *store, const struct stat *status, struct message *message) {
  return S_ISREG(status->st_mode) ||
         fail_open(store, S_ISDIR(status->st_mode) ? text_errno(EISDIR) : "is not a regular file", message);
}

/* The lock belongs to the open file, on a byte that need not exist. A process's own lock would be lost as soon as
 * SQLite closes the file. */
static bool lock_file(struct store *store, struct message *message) {
  struct stat status;
  store->lock = open(store->path, O_RDWR | O_CLOEXEC);
  if (store->lock < 0 && errno == ENOENT) {
    store->lock = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    store->made = store->lock >= 0;
  }
  if (store->lock < 0) {
    return message_fail(message, "%.300s: cannot be written: %s", store->path, text_errno(errno));
  }
  if (fstat(store->lock, &status) < 0 || !is_regular(store, &status, message))
    return false;
  const struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1};
  for (int tries = 0; fcntl(store->lock, F_OFD_SETLK, &wanted) != 0; tries++) {
    const bool taken = errno == EACCES || errno == EAGAIN;
    if (!taken || tries == LOCK_TRIES)
      return fail_open(store, taken ? "another sweep is writing it" : text_errno(errno), message);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return true;
}

/* After a kill, SQLite rolls back "FILE-journal", and then deletes the super-journal that is named at its end, whatever
 * file that is. Transactions of a sweep use one file and have no super-journal, so refuse a journal that names one.
 * Refuse a pipe too, which might never end. */
static bool is_plain_journal(const char *path) {
  static const uint8_t named[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  uint8_t tail[sizeof named];
  struct stat status;
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT;
  const bool read = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                    (status.st_size < (off_t)sizeof tail ||
                     pread(file, tail, sizeof tail, status.st_size - (off_t)sizeof tail) == (ssize_t)sizeof tail);
  close(file);
  return read && (status.st_size < (off_t)sizeof tail || memcmp(tail, named, sizeof tail) != 0);
}

static bool check_journal(const struct store *store, struct message *message) {
  char *real = realpath(store->path, NULL), *path = real ? sqlite3_mprintf("%s-journal", real) : NULL;
  const bool good = !path || is_plain_journal(path);
  sqlite3_free(path);
  free(real);
  return good || fail_open(store, "the file with \"-journal\" after this name is not the journal of a sweep; remove it",
                           message);
}

/* SQLite gives "", ":memory:" and "file:..." special meanings; with a folder before them they are file names. */
static bool connect_to(struct store *store, struct message *message) {
  if (!check_journal(store, message))
    return false;
  char *full = sqlite3_mprintf("%s%s", store->path[0] == '/' ? "" : "./", store->path);
  const int status = sqlite3_open_v2(full, &store->database, SQLITE_OPEN_READWRITE, NULL);
  sqlite3_free(full);
  if (status != SQLITE_OK)
    return store_fail(store, message);
  sqlite3_extended_result_codes(store->database, 1);
  /* A foreign file may have a view with a table's name, or triggers: queries that may never end. */
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit(store->database, SQLITE_LIMIT_LENGTH, CELL);
  sqlite3_busy_timeout(store->database, BUSY_TIMEOUT);
  return true;
}

static struct store *new_store(const char *path) {
  struct store *store = need(1, sizeof *store);
  store->path = need_copy(path);
  store->lock = -1;
  return store;
}

static void abandon_store(struct store *store) {
  const bool made = store->made;
  char *path = need_copy(store->path);
  store_close(store);
  if (made)
    unlink(path);
  free(path);
}

void store_close(struct store *store) {
  sqlite3_finalize(store->find);
  sqlite3_finalize(store->insert);
  sqlite3_finalize(store->insert_effort);
  sqlite3_close(store->database); /* also ends a transaction */
  if (store->lock >= 0)
    close(store->lock);
  about_free(&store->about);
  free(store->path);
  free(store);
}

/* Makes sure that the file is about this sweep: describes it in an empty file, else compares. */
static bool check_about(struct store *store, struct message *message) {
  struct store_about there = {0};
  bool empty = false;
  if (!about_recognize(store, &empty, message))
    return false;
  if (empty)
    return about_columns_differ(store, message) && about_write(store, message);
  const bool good = about_of_file(store, &there, message) && about_same(&store->about, store->path, &there, message) &&
                    about_try_to_write(store, message);
  about_free(&there);
  return good;
}

/* store->about is already set. */
static struct store *open_to_write(struct store *store, struct message *message) {
  /* A transaction's pages stay in up to 64 MiB of memory until it ends, so that readers wait only for the commit. */
  static const char settings[] = "PRAGMA journal_mode = DELETE; PRAGMA cache_size = -65536";
  if (lock_file(store, message) && connect_to(store, message) &&
      store_execute(store, sqlite3_mprintf("%s", settings), message) && check_about(store, message))
    return store;
  abandon_store(store);
  return NULL;
}

struct store *store_open(const char *path, const struct store_subject *subject, struct message *message) {
  struct store *store = new_store(path);
  store->plan = subject->plan;
  about_of_subject(&store->about, subject);
  return open_to_write(store, message);
}

struct store *store_open_like(const char *path, const char *other, struct message *message) {
  struct store *like = store_open_to_read(other, message);
  if (!like)
    return NULL;
  struct store *store = new_store(path);
  store->about = like->about;
  like->about = (struct store_about){0};
  store_close(like);
  return open_to_write(store, message);
}

/* Opens the file for writing if possible, so that SQLite can roll back a journal that a killed process left. */
struct store *store_open_to_read(const char *path, struct message *message) {
  struct store *store = new_store(path);
  struct stat status;
  bool empty = false;
  bool good = stat(path, &status) == 0 || fail_open(store, text_errno(errno), message);
  good = good && is_regular(store, &status, message) && connect_to(store, message) &&
         about_recognize(store, &empty, message);
  if (good && empty)
    good = fail_open(store, "is empty", message);
  if (good && store_execute(store, sqlite3_mprintf("PRAGMA query_only = 1"), message) &&
      about_of_file(store, &store->about, message))
    return store;
  store_close(store);
  return NULL;
}
