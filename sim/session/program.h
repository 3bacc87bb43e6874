/* Programs as users give them: OpenCL C and SPIR-V, which are lowered, assembly and object files.
 *
 * A lowered program keeps its SPIR-V. It is made for a machine without parameters of its own: for a launch on one whose
 * instruction set differs (the group `isa`), or whose CUs have too few registers for a work-group, it is lowered again,
 * in milliseconds. What that gives is kept for further launches. */
#ifndef SIM_SESSION_PROGRAM_H
#define SIM_SESSION_PROGRAM_H

#include "isa/isa.h"
#include "opencl/opencl.h"
#include "sim/base/caller.h"

enum { PROGRAM_LEAST_REGISTERS = 16, PROGRAM_MOST_REGISTERS = 255, PROGRAM_PLACE = 300 /* bytes */ };

/* Is it OpenCL C, by its name? */
bool program_is_opencl(const char *path);

struct program_words {
  const char **word; /* ends with NULL; NULL when there are none. The words are ours. */
  size_t count;
};

struct reads;

/* What OpenCL C has become in this command, so that who makes a program of the same source again need not compile it
 * again: what a report asks of a run, the variants of a page. It grows at its front alone, while several threads may
 * read it. Whoever has it frees it, when nobody compiles any more. */
struct program_compiled {
  struct program_spirv *_Atomic first;
};
void program_compiled_free(struct program_compiled *compiled);

/* A specialization constant, and where its value is. */
struct program_constant {
  uint32_t id;
  const void *value;
};

/* How OpenCL C is to be built: `build` of a launch file, or options of the command line. */
struct program_build {
  char *standard; /* NULL: not said */
  struct program_words defines, includes, extensions, options;
  bool route_said;
  enum opencl_route route;
  uint32_t registers; /* most of a lane; 0: not said */
  bool copies_said;
  enum opencl_copies copies;
  bool optimize_said;
  bool near_source;  /* unless a level is said, it is 0: whoever asks wants to hear of source lines, not of time */
  unsigned optimize; /* level, 0 to 3 */
  uint64_t without;  /* passes that are left out, a bit each */
  const struct isa_features
      *isa; /* for what instructions it is compiled first; NULL: for those of a machine without parameters */
  struct opencl_explanation *explanation; /* what passes did, of .cl and .spv; NULL: nobody wants it */
  bool no_cache;
  const struct opencl_tools *tools;    /* with what it is compiled; NULL: the environment's */
  const char *text;                    /* OpenCL C in place of the file's own, which is the caller's; NULL: none */
  const struct opencl_header *headers; /* that #include finds by name; the caller's */
  size_t header_count;
  const struct program_constant *constants; /* of SPIR-V, all of which the module has; the caller's */
  size_t constant_count;
  struct program_compiled *compiled; /* is looked into and added to; NULL: nothing is compiled twice */
  struct text *log;                  /* is added all that clang says; NULL: nobody wants it */
  struct reads *reads;               /* which files a program may be read from; NULL: all */
  const struct caller *caller;       /* who waits for the compiler; NULL: nobody who could stop it */
};

void program_say(struct program_words *words, const char *word);
void program_unsay(struct program_words *words); /* the last one */
void program_say_part(struct program_words *words, const char *word, size_t length);

/* Cuts a text into options at blanks, as a shell would but for nothing else than double quotes; false when a quote is
 * not closed. */
bool program_say_text(struct program_words *words, const char *text);

/* Adds options that the file `from` gives, each as one word. Folders and files that they name are seen from there.
 * False with the message filled when one is refused. */
bool program_say_options(struct program_words *words, const struct program_words *options, const char *from,
                         struct message *message);
void program_words_free(struct program_words *words);

/* What `more` says is added to what `build` says, or takes its place. */
void program_build_add(struct program_build *build, const struct program_build *more);
void program_build_free(struct program_build *build);

/* The next define at or after `from` that no later one of the same name replaces; defines.count when there is none. */
size_t program_define(const struct program_build *build, size_t from);

/* The defines that hold, as a list of words. */
struct json_t *program_json_defines(const struct program_build *build);

/* Routes, ways of copies, numbers of registers, levels of optimization and lists of passes ("unroll,hoist") by their
 * names; false with the message filled. */
bool program_route(const char *word, struct program_build *build, struct message *message);
bool program_copies(const char *word, struct program_build *build, struct message *message);
bool program_registers(const char *word, struct program_build *build, struct message *message);
bool program_optimize(const char *word, struct program_build *build, struct message *message);
bool program_without(const char *words, struct program_build *build, struct message *message);

/* Whether a build says how SPIR-V becomes instructions: it is for .cl and .spv. */
bool program_says_lowering(const struct program_build *build);

/* The option of the command line that says a part of the build. */
const char *program_option(enum opencl_part part);

/* A program, lowered for another target than its own. */
struct program_lowering {
  struct opencl_target target;
  struct isa_program *isa;
  struct program_lowering *next;
};

struct program {
  struct isa_program *isa;
  char *path;
  char *text;     /* of OpenCL C that is in no file; else NULL */
  bool in_memory; /* it came from no file */
  uint8_t *spirv; /* NULL unless it was lowered */
  size_t spirv_bytes;
  struct opencl_target target;
  enum opencl_copies copies;       /* what becomes of asynchronous ones */
  bool uniform_groups;             /* the local size must divide the global one */
  struct reads *reads;             /* which source files may be read for reports; NULL: all */
  enum opencl_part blamed;         /* when it could not be compiled: what was wrong */
  struct opencl_refusals refusals; /* kernels of the file that could not be lowered */
  /* All for other targets so far. It grows at its front alone, while several threads may read it; no lock, which a
   * process that was forked meanwhile would find closed for ever. */
  struct program_lowering *_Atomic lowered;
};

/* Loads a program. *inside says that the message names a place in the program itself, so that nobody need say who
 * asked for it. */
bool program_load(struct program *program, const char *path, const struct program_build *build, bool *inside,
                  struct message *message);

/* The same of bytes in memory that go by a name. What they are shows of what they begin with: SPIR-V, an object file,
 * assembly, which begins with a directive (".kernel"), or else OpenCL C. */
bool program_make(struct program *program, const char *name, const void *data, size_t size,
                  const struct program_build *build, struct message *message);

/* Compiles OpenCL C or SPIR-V that need not be whole: *data, of *size bytes, is the caller's to free. */
bool program_compile_unit(const char *name, const struct opencl_unit *source, const struct program_build *build,
                          uint8_t **data, size_t *size, struct message *message);

/* A program of units. */
bool program_link(struct program *program, const char *name, const struct opencl_unit *units, size_t count,
                  const struct program_build *build, struct message *message);

/* A name for those that have none: "kernel" with the usual extension. */
const char *program_usual_name(const void *data, size_t size);
void program_free(struct program *program);

/* Warns of each of these defines that the OpenCL C does not mention, and which of `known` may be meant. A
 * text that includes others may mention it there: nothing is told of it. */
void program_tell_unmentioned(const struct program *program, const struct program_words *defines,
                              const struct program_words *known, const struct caller *caller);

/* Warns of each kernel that could not be lowered. */
void program_tell_refusals(const struct program *program, const struct caller *caller);

/* A kernel by its name. NULL with the message filled: why there is none, or which name may be meant. */
const struct isa_kernel *program_kernel(const struct program *program, const char *name, struct message *message);

/* The name of the only kernel of the file, or NULL: those that could not be lowered count. */
const char *program_only_kernel(const struct program *program);

/* A lowered program for a target; it has `kernel`, and lives as long as the program. NULL with the message filled. */
const struct isa_program *program_for(struct program *program, const struct opencl_target *target, const char *kernel,
                                      struct message *message);

/* The source line of an instruction, 0 when nobody knows; and "kernel.wws:12", or the instruction's
 * number when nobody knows. */
uint32_t program_line(const struct isa_program *program, uint32_t pc);
void program_place(const struct isa_program *program, uint32_t pc, char text[PROGRAM_PLACE]);

/* Both instructions are of one line of one file, so that their places read the same. */
bool program_same_line(const struct isa_program *program, uint32_t a, uint32_t b);

#endif
