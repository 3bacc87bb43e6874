/* Any machine file gives an error with a line, or parameters that are all in range. */
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/launch/machines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool in_range(const struct machine *machine) {
  for (size_t g = 0; g < MACHINE_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      const struct param_row *row = &machine_groups[g].rows[i];
      uint32_t value = param_value(&machine_groups[g], row, machine);
      char word[32];
      if (row->kind == PARAM_CHOICE ? !param_choice(row->choices, value, word)
                                    : value < row->minimum || value > row->maximum)
        return false;
    }
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct message message = {""};
  struct machine machine;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0'; /* text after a zero byte is not seen */
  bool good = machine_read(text, "fuzz.ini", &machine, &message);
  if (!in_range(&machine) || (!good && !message.text[0]))
    abort();
  free(text);
  return 0;
}
