#include "isa/rows.h"

#include <stdio.h>
#include <string.h>

const struct isa_hazard_row isa_hazard_rows[HAZARDS] = {
#define HAZARD(id, rule, level, by, text, advice) {rule, text, advice, ISA_HAZARD_##level, ISA_BY_##by},
#include "isa/hazards.def"
#undef HAZARD
};

const char *const isa_hazard_levels[2] = {"error", "warning"};

enum isa_hazard_rule isa_divergence_rule(const struct isa_program *program, uint32_t pc) {
  if (isa_rows[program->code[pc].op].format == FORMAT_PIPE_BAR)
    return HAZARD_R10;
  switch ((enum isa_class)program->info[pc].class_) {
  case ISA_CLASS_LANE:
    return HAZARD_S1;
  case ISA_CLASS_PIPE:
    return HAZARD_R10;
  case ISA_CLASS_BARRIER:
    return HAZARD_M8;
  case ISA_CLASS_COPY_FENCE:
    return HAZARD_N3;
  default:
    return program->info[pc].in_loop ? HAZARD_G3 : HAZARD_G2;
  }
}

/* Appends what fits. */
static void append(char *text, const char *from, size_t length) {
  const size_t at = strlen(text), room = ISA_ADVICE - 1 - at;
  const size_t taken = length < room ? length : room;
  memcpy(text + at, from, taken);
  text[at + taken] = '\0';
}

static void append_line(char *text, uint32_t line) {
  char words[32];
  const int length = line ? snprintf(words, sizeof words, " at line %u", line) : 0;
  append(text, words, (size_t)length);
}

void isa_hazard_advice(enum isa_hazard_rule rule, uint32_t here_line, uint32_t other_line, char text[ISA_ADVICE]) {
  const char *from = isa_hazard_rows[rule].advice;
  text[0] = '\0';
  for (const char *open; (open = strchr(from, '{')); from = strchr(open, '}') + 1) {
    const char *words = strchr(open, ':') + 1;
    append(text, from, (size_t)(open - from));
    append(text, words, strcspn(words, "}"));
    append_line(text, open[1] == 'h' ? here_line : other_line);
  }
  append(text, from, strlen(from));
}
