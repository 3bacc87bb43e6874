/* Programs as users supply them: OpenCL C and SPIR-V, which are lowered, assembly and object files.
 *
 * A lowered program keeps its SPIR-V. It is first lowered for a machine with default parameters. If the machine of a
 * launch has another instruction set (group `isa`), or its CUs have too few registers for a work-group, the program is
 * lowered again, which takes milliseconds. The result is kept for later launches. */
#ifndef SIM_LAUNCH_PROGRAM_H
#define SIM_LAUNCH_PROGRAM_H

#include "isa/isa.h"
#include "opencl/opencl.h"
#include "sim/base/caller.h"

enum { PROGRAM_LEAST_REGISTERS = 16, PROGRAM_MOST_REGISTERS = 255, PROGRAM_PLACE = 300 /* bytes */ };

/* The language of a file, judging by its extension. Only program.c knows more of a language than its number. */
enum program_language {
  PROGRAM_OPENCL_C,
  PROGRAM_SPIR_V,
  PROGRAM_LLVM,
  PROGRAM_ASSEMBLY,
  PROGRAM_OBJECT,
  PROGRAM_LANGUAGES
};
enum program_language program_language(const char *path); /* PROGRAM_LANGUAGES: it is no program */

static inline bool program_is_opencl(const char *path) { return program_language(path) == PROGRAM_OPENCL_C; }

struct program_words {
  const char **word; /* ends with NULL; NULL when there are none; owned by this struct */
  size_t count;
};

struct reads;

/* OpenCL C that this command has compiled, so that the same source is not compiled twice: reports run a program again,
 * and pages run variants of it. New entries go only to the front of the list, while other threads may read it. The
 * owner frees it after the last compilation. */
struct program_compiled {
  struct program_spirv *_Atomic first;
};
void program_compiled_free(struct program_compiled *compiled);

/* A specialization constant and its value. */
struct program_constant {
  uint32_t id;
  const void *value;
};

/* How to build OpenCL C: the `build` of a launch file, or options of the command line. */
struct program_build {
  char *standard; /* NULL: default */
  struct program_words defines, includes, extensions, options;
  uint32_t registers; /* most registers per lane; 0: default */
  bool copies_said;
  enum opencl_copies copies;
  bool optimize_said;
  bool near_source;  /* optimize at level 0 unless a level is given: source lines matter here, not time */
  unsigned optimize; /* level, 0 to 3 */
  uint64_t without;  /* passes to leave out, a bit each */
  const struct isa_features
      *isa; /* the instructions of the first lowering; NULL: those of a machine with default parameters */
  struct opencl_explanation *explanation; /* what passes did, of .cl and .spv; NULL: not wanted */
  bool no_cache;
  const struct opencl_tools *tools;    /* compiler tools to use; NULL: those of the environment */
  const char *text;                    /* OpenCL C that replaces the file's; owned by the caller; NULL: none */
  const struct opencl_header *headers; /* found by #include by their names; owned by the caller */
  size_t header_count;
  const struct program_constant *constants; /* of SPIR-V; each occurs in the module; owned by the caller */
  size_t constant_count;
  struct program_compiled *compiled; /* searched, and extended; NULL: compile every time */
  struct text *log;                  /* receives all output of clang; NULL: not wanted */
  struct reads *reads;               /* files that a program may be read from; NULL: all */
  const struct caller *caller;       /* may stop the compiler; NULL: cannot be stopped */
};

void program_say(struct program_words *words, const char *word);
void program_drop_last(struct program_words *words); /* removes the last one */
void program_say_part(struct program_words *words, const char *word, size_t length);

/* Splits a text into options at blanks. Double quotes group, as in a shell; nothing else is special. False when a quote
 * is not closed. */
bool program_say_text(struct program_words *words, const char *text);

/* Adds options, one word each, that the file `from` gives: folders and files in them are relative to it. False with the
 * message filled when an option is refused. */
bool program_say_options(struct program_words *words, const struct program_words *options, const char *from,
                         struct message *message);
void program_words_free(struct program_words *words);

/* Adds the words of `more` to those of `build`; single values of `more` replace those of `build`. */
void program_build_add(struct program_build *build, const struct program_build *more);
void program_build_free(struct program_build *build);

/* The next define at or after `from` that no later one of the same name replaces; defines.count when there is none. */
size_t program_define(const struct program_build *build, size_t from);

/* The defines in effect, as a list of words. */
struct json_t *program_json_defines(const struct program_build *build);

/* Parse a way of copying, a number of registers, a level of optimization, and a list of passes
 * ("unroll,hoist"). False with the message filled. */
bool program_copies(const char *word, struct program_build *build, struct message *message);
bool program_registers(const char *word, struct program_build *build, struct message *message);
bool program_optimize(const char *word, struct program_build *build, struct message *message);
bool program_without(const char *words, struct program_build *build, struct message *message);

/* Does the build affect how SPIR-V becomes instructions? Then it applies to .cl and .spv. */
bool program_says_lowering(const struct program_build *build);

/* The command-line option that sets a part of the build. */
const char *program_option(enum opencl_part part);

/* A program, lowered again for another target. */
struct program_lowering {
  struct opencl_target target;
  struct isa_program *isa;
  struct program_lowering *next;
};

struct program {
  struct isa_program *isa;
  char *path;
  char *text;     /* OpenCL C that is in no file; else NULL */
  bool in_memory; /* not read from a file */
  uint8_t *spirv; /* NULL unless it was lowered */
  size_t spirv_bytes;
  struct opencl_target target;
  enum opencl_copies copies;       /* how asynchronous copies are implemented */
  bool uniform_groups;             /* the local size must divide the global one */
  struct reads *reads;             /* source files that reports may read; NULL: all */
  enum opencl_part blamed;         /* after a failed compilation: which input is wrong */
  struct opencl_refusals refusals; /* kernels of the file that could not be lowered */
  /* For other targets. New entries go only to the front, while other threads may read the list. There is no lock,
   * because after a fork in another thread it would stay locked forever. */
  struct program_lowering *_Atomic lowered;
};

/* The names that a program's file may have, for messages. */
#define PROGRAM_LEGAL                                                                                                  \
  ".cl, .ocl, .opencl (OpenCL C), .spv (SPIR-V), .ll, .llir, .bc (LLVM IR), .wws (assembly), .wwo (object file)"

/* Loads a program. *inside: the message names a place in the program itself, so the caller need not add its own. */
bool program_load(struct program *program, const char *path, const struct program_build *build, bool *inside,
                  struct message *message);

/* Makes a program of bytes in memory, with a name for messages. The first bytes decide the language: SPIR-V, an object
 * file, assembly (a directive, such as ".kernel"), else OpenCL C. */
bool program_make(struct program *program, const char *name, const void *data, size_t size,
                  const struct program_build *build, struct message *message);

/* Makes a unit of OpenCL C, LLVM IR or SPIR-V: SPIR-V that may import what other units define. The caller frees it. */
bool program_compile_unit(const char *name, const void *source, size_t source_bytes, const struct program_build *build,
                          uint8_t **spirv, size_t *size, struct message *message);

/* Links units into a program. */
bool program_link(struct program *program, const char *name, const struct spirv_unit *units, size_t count,
                  const struct program_build *build, struct message *message);

/* A file name for a program without one: "kernel" with the usual extension of its language. */
const char *program_usual_name(const void *data, size_t size);
void program_free(struct program *program);

/* Warns of each define that the OpenCL C does not mention, and suggests names from `known`. No warning for a text with
 * an #include, because the included file may mention it. */
void program_report_unmentioned(const struct program *program, const struct program_words *defines,
                                const struct program_words *known, const struct caller *caller);

/* Warns of each kernel that could not be lowered. */
void program_report_refusals(const struct program *program, const struct caller *caller);

/* Finds a kernel by name. NULL with the message filled: why the kernel is missing, or a suggestion. */
const struct isa_kernel *program_kernel(const struct program *program, const char *name, struct message *message);

/* The name of the file's only kernel, or NULL. Kernels that could not be lowered count. */
const char *program_only_kernel(const struct program *program);

/* The program lowered for a target, with `kernel` in it; it lives as long as `program`. NULL with the message
 * filled. */
const struct isa_program *program_for(struct program *program, const struct opencl_target *target, const char *kernel,
                                      struct message *message);

/* The source line of an instruction, 0 if unknown; and "kernel.wws:12", or the number of the instruction if unknown. */
uint32_t program_line(const struct isa_program *program, uint32_t pc);
void program_place(const struct isa_program *program, uint32_t pc, char text[PROGRAM_PLACE]);

/* Do both instructions have the same place: the same line of the same file? */
bool program_same_line(const struct isa_program *program, uint32_t a, uint32_t b);

#endif
