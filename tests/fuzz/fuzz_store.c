/* libFuzzer: any bytes as a sweep's file of results. It is refused in one line, or everything in it can be queried,
 * which may find further damage. */
#include "tests/fuzz/folder.h"
#include "tools/sweep/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void listen(void *context, const char *name, const char *value) {
  size_t *bytes = context;
  *bytes += strlen(name) + strlen(value);
}

static void check(bool good, struct message *message) {
  if (!good && !message->text[0])
    abort();
  message->text[0] = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct message message[1] = {{""}};
  char *text = NULL;
  size_t bytes = 0, length = 0;
  struct store *store = store_open_to_read(fuzz_file_put("input", data, size), message);
  check(store, message);
  if (!store)
    return 0;
  FILE *file = open_memstream(&text, &length);
  check(store_csv(store, file, message), message);
  fclose(file);
  free(text);
  check(store_facts(store, listen, &bytes, message), message);
  check(store_axes(store, listen, &bytes, message), message);
  check(store_metrics(store, listen, &bytes, message), message);
  check(store_statuses(store, listen, &bytes, message), message);
  const struct store_order order = {.metric = "cycles", .count = 3};
  check(store_best(store, &order, listen, &bytes, message), message);
  store_has(store, "machine=h200");
  store_close(store);
  return 0;
}
