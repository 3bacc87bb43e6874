/* Output that accompanies a report. */
#include <inttypes.h>

#include "sim/base/text.h"
#include "sim/report/report.h"

void report_printed(const struct report *report, struct text *text) {
  for (size_t i = 0; i < report->count; i++) {
    const struct printed *printed = &report->job->launches[i].printed;
    if (printed->length)
      text_add(text, printed->text, printed->length);
    if (printed->length && text->data[text->length - 1] != '\n')
      text_print(text, "\n");
    if (printed->truncated)
      text_print(text, "... truncated: launch %zu printed more than %d MiB\n", i + 1, PRINTED_BYTES >> 20);
  }
}

size_t report_hazard_instructions(const struct isa_program *program, const struct launch_result *result, size_t number,
                                  uint64_t *times) {
  const struct isa_hazard *hazard = &result->hazards[number].first;
  size_t instructions = 0;
  *times = 0;
  for (size_t i = 0; i < result->hazard_count; i++) {
    const struct isa_hazard *other = &result->hazards[i].first;
    if (other->rule != hazard->rule || !program_same_line(program, other->pc, hazard->pc))
      continue;
    if (i < number)
      return 0;
    instructions++;
    *times += result->hazards[i].count;
  }
  return instructions;
}

bool report_warning(const struct report *report, struct message *message) {
  char place[PROGRAM_PLACE];
  const struct launch_result *first = NULL;
  const struct isa_program *program = NULL;
  uint64_t count = 0, times;
  for (size_t i = 0; i < report->count; i++) {
    const struct launch_result *result = &report->results[i];
    for (size_t k = 0; k < result->hazard_count; k++)
      count += report_hazard_instructions(report->job->launches[i].isa.program, result, k, &times) > 0;
    if (first || !result->hazard_count)
      continue;
    first = result;
    program = report->job->launches[i].isa.program;
  }
  if (!first)
    return false;
  program_place(program, first->hazards[0].first.pc, place);
  message_fail(message, "%" PRIu64 " hazard%s, the first at %s: %s", count, count == 1 ? "" : "s", place,
               isa_hazard_rows[first->hazards[0].first.rule].rule);
  return true;
}
