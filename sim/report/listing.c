#include "sim/report/listing.h"

#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/file.h"

static void list_head(const struct isa_kernel *kernel, struct text *text) {
  const uint32_t *groups = kernel->autorun;
  text_print(text, "kernel %s: %u register%s, %u spilled, %u byte%s of LDS, %u private byte%s a lane\n", kernel->name,
             kernel->registers, text_s(kernel->registers), kernel->spilled, kernel->lds_bytes,
             text_s(kernel->lds_bytes), kernel->private_bytes, text_s(kernel->private_bytes));
  if (groups[0])
    text_print(text, "  autorun: runs beside the other kernels, in %u x %u x %u work-groups\n", groups[0], groups[1],
               groups[2]);
  for (size_t i = 0; i < kernel->arg_count; i++)
    text_print(text, "  argument %zu  %-8s %s\n", i + 1, kernel->args[i].type, kernel->args[i].name);
}

static void list_channels(const struct isa_program *program, struct text *text) {
  for (size_t i = 0; i < program->channel_count; i++) {
    const struct isa_channel *channel = &program->channels[i];
    text_print(text, "channel %s", channel->name);
    if (channel->count > 1)
      text_print(text, "[%u]", channel->count);
    text_print(text, ": %u packet%s of %u byte%s\n", channel->max_packets, text_s(channel->max_packets),
               channel->packet_size, text_s(channel->packet_size));
  }
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
  list_channels(program, text);
  for (size_t i = 0; i < program->kernel_count; i++) {
    if (i || program->channel_count)
      text_print(text, "\n");
    list(program, &program->kernels[i], text);
  }
}

void listing_plain(const struct isa_program *program, struct text *text) { list_all(program, text, list_kernel); }

void listing_beside_source(const struct isa_program *program, struct text *text) {
  list_all(program, text, interleave_kernel);
}

void listing_assembly(const struct isa_program *program, struct text *text) {
  char *lines = isa_disassemble(program);
  text_print(text, "%s", lines);
  free(lines);
}

bool listing_has_source(const struct isa_program *program) {
  for (uint32_t i = 0; i < program->source_count; i++)
    if (program->sources[i].text && strcmp(file_extension(program->sources[i].name), ".wws") != 0)
      return true;
  return false;
}

/* ---- compiler passes ----------------------------------------------------------------------------------- */

static bool is_of_line(const struct ir_change *change, uint16_t source, uint32_t line) {
  return change->line == line && change->source == source;
}

static unsigned instructions_of(const struct isa_program *program, const struct isa_kernel *kernel, uint16_t source,
                                uint32_t line) {
  unsigned count = 0;
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++)
    count += program->line[pc] == line && program->source[pc] == source;
  return count;
}

static void explain_line(const struct isa_program *program, const struct isa_kernel *kernel, const struct ir_log *log,
                         uint16_t source, uint32_t line, struct text *text) {
  const struct isa_source *file = source < program->source_count ? &program->sources[source] : NULL;
  const char *words = file && file->text && line && line <= file->lines ? file->text[line - 1] : "";
  const unsigned left = instructions_of(program, kernel, source, line);
  if (line)
    text_print(text, "\n%s:%u: %.*s\n", file ? file_base(file->name) : "?", line, (int)strcspn(words, "\r\n"), words);
  else
    text_print(text, "\n(no source line)\n");
  for (size_t i = 0; i < log->count; i++) {
    const struct ir_change *change = &log->change[i];
    if (is_of_line(change, source, line) && change->note)
      text_print(text, "  %-10s                  %s\n", opencl_pass[change->pass].name, change->note);
    else if (is_of_line(change, source, line))
      text_print(text, "  %-10s %5u -> %5u\n", opencl_pass[change->pass].name, change->before, change->after);
  }
  text_print(text, "  %-10s          %5u instruction%s\n", "left", left, text_s(left));
}

/* Visits each line once, in the order of sources and lines. */
static void explain_kernel(const struct isa_program *program, const struct isa_kernel *kernel, const struct ir_log *log,
                           struct text *text) {
  uint64_t next = 0;
  list_head(kernel, text);
  for (bool more = true; more;) {
    uint64_t found = UINT64_MAX;
    for (size_t i = 0; i < log->count; i++) {
      const uint64_t key = (uint64_t)log->change[i].source << 32 | log->change[i].line;
      found = key >= next && key < found ? key : found;
    }
    more = found != UINT64_MAX;
    next = found + 1;
    if (more)
      explain_line(program, kernel, log, (uint16_t)(found >> 32), (uint32_t)found, text);
  }
}

/* Describes the passes that changed something. */
static void explain_words(const struct opencl_explanation *explanation, struct text *text) {
  text_print(text, "\nOperations of each line, before and after each pass that changed their number:\n");
  for (enum opencl_pass pass = 0; pass < OPENCL_PASSES; pass++) {
    bool named = false;
    for (size_t k = 0; k < explanation->count; k++)
      for (size_t i = 0; i < explanation->row[k].log.count; i++)
        named |= explanation->row[k].log.change[i].pass == pass;
    if (named)
      text_print(text, "  %-10s %s\n", opencl_pass[pass].name, opencl_pass[pass].text);
  }
}

void listing_passes(const struct isa_program *program, const struct opencl_explanation *explanation,
                    struct text *text) {
  for (size_t i = 0; i < explanation->count; i++) {
    const struct isa_kernel *kernel = isa_find_kernel(program, explanation->row[i].kernel);
    if (i)
      text_print(text, "\n");
    explain_kernel(program, kernel, &explanation->row[i].log, text);
  }
  explain_words(explanation, text);
}
