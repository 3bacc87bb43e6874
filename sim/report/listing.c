#include "sim/report/listing.h"

#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/file.h"

static void list_head(const struct isa_kernel *kernel, struct text *text) {
  text_print(text, "kernel %s: %u register%s, %u spilled, %u byte%s of LDS, %u private byte%s a lane\n", kernel->name,
             kernel->registers, text_s(kernel->registers), kernel->spilled, kernel->lds_bytes,
             text_s(kernel->lds_bytes), kernel->private_bytes, text_s(kernel->private_bytes));
  for (size_t i = 0; i < kernel->arg_count; i++)
    text_print(text, "  argument %zu  %-8s %s\n", i + 1, kernel->args[i].type, kernel->args[i].name);
}

static void list_kernel(const struct isa_program *program, const struct isa_kernel *kernel, struct text *text) {
  list_head(kernel, text);
  text_print(text, "%6s %6s  %-10s %s\n", "pc", "line", "class", "instruction");
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
    char line[256];
    isa_print(program, pc, line, sizeof line);
    text_print(text, "%6u %6u  %-10s %s\n", pc, program->line[pc],
               isa_class_name((enum isa_class)program->info[pc].class_), line);
  }
}

static bool same_line(const struct isa_program *program, uint32_t a, uint32_t b) {
  return program->line[a] == program->line[b] && (!program->line[a] || program->source[a] == program->source[b]);
}

static void interleave_kernel(const struct isa_program *program, const struct isa_kernel *kernel, struct text *text) {
  list_head(kernel, text);
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
    char line[256];
    const char *name = isa_source_name(program, pc), *source = isa_source_text(program, pc);
    if ((pc == kernel->entry || !same_line(program, pc - 1, pc)) && name)
      text_print(text, "\n%s:%u%s%.*s\n", file_base(name), program->line[pc], source ? ": " : "",
                 source ? (int)strcspn(source, "\r\n") : 0, source ? source : "");
    else if (pc == kernel->entry || !same_line(program, pc - 1, pc))
      text_print(text, "\n(no source line)\n");
    isa_print(program, pc, line, sizeof line);
    text_print(text, "%8u  %s\n", pc, line);
  }
}

static void list_all(const struct isa_program *program, struct text *text,
                     void (*list)(const struct isa_program *program, const struct isa_kernel *kernel,
                                  struct text *text)) {
  for (size_t i = 0; i < program->kernel_count; i++) {
    if (i)
      text_print(text, "\n");
    list(program, &program->kernels[i], text);
  }
}

void listing_plain(const struct isa_program *program, struct text *text) { list_all(program, text, list_kernel); }

void listing_beside_source(const struct isa_program *program, struct text *text) {
  list_all(program, text, interleave_kernel);
}

bool listing_has_source(const struct isa_program *program) {
  for (uint32_t i = 0; i < program->source_count; i++)
    if (program->sources[i].text && strcmp(file_extension(program->sources[i].name), ".wws") != 0)
      return true;
  return false;
}
