#include "sim/launch/program.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/base/text.h"
#include "sim/core/params.h"

enum { FILE_BYTES = 64 << 20 }; /* largest program file */

/* ---- how to build ------------------------------------------------------------------------------ */

void program_say_part(struct program_words *words, const char *word, size_t length) {
  char *copy = need(length + 1, 1);
  memcpy(copy, word, length);
  words->word = need_more(words->word, words->count + 2, sizeof *words->word);
  words->word[words->count++] = copy;
  words->word[words->count] = NULL;
}

void program_say(struct program_words *words, const char *word) { program_say_part(words, word, strlen(word)); }

void program_drop_last(struct program_words *words) {
  free((char *)(uintptr_t)words->word[--words->count]);
  words->word[words->count] = NULL;
}

bool program_say_text(struct program_words *words, const char *text) {
  char *word = need(strlen(text) + 1, 1);
  bool quoted = false;
  while (*(text += strspn(text, " \t\n\v\f\r"))) {
    size_t length = 0;
    for (; *text && (quoted || !isspace((unsigned char)*text)); text++)
      if (*text == '"')
        quoted = !quoted;
      else
        word[length++] = *text;
    program_say_part(words, word, length);
  }
  free(word);
  return !quoted;
}

struct placing {
  struct program_words *words;
  const char *from;
};

/* A header of -include that is not beside `from` is searched for in the include folders, so its path stays. */
static void say_placed(void *self, const char *word) {
  const struct placing *placing = self;
  const char *option = NULL, *path = opencl_option_path(word, &option);
  char *placed = path ? file_beside(placing->from, path) : NULL;
  if (!placed || (strcmp(option, "-include") == 0 && !file_exists(placed))) {
    program_say(placing->words, word);
  } else {
    struct text text = {0};
    text_print(&text, "%s%s%s", option, *placed == '-' ? "./" : "", placed);
    program_say(placing->words, text.data);
    free(text.data);
  }
  free(placed);
}

bool program_say_options(struct program_words *words, const struct program_words *options, const char *from,
                         struct message *message) {
  struct placing placing = {words, from};
  char why[OPENCL_WHY];
  return opencl_options_each(options->word, say_placed, &placing, why, sizeof why) || message_fail(message, "%s", why);
}

static void words_add(struct program_words *words, const struct program_words *more) {
  for (size_t i = 0; i < more->count; i++)
    program_say(words, more->word[i]);
}

void program_words_free(struct program_words *words) {
  for (size_t i = 0; i < words->count; i++)
    free((char *)(uintptr_t)words->word[i]); /* const for opencl_build */
  free(words->word);
}

void program_build_add(struct program_build *build, const struct program_build *more) {
  if (more->standard) {
    free(build->standard);
    build->standard = need_copy(more->standard);
  }
  words_add(&build->defines, &more->defines);
  words_add(&build->includes, &more->includes);
  words_add(&build->extensions, &more->extensions);
  words_add(&build->options, &more->options);
  if (more->copies_said)
    build->copies = more->copies;
  build->copies_said |= more->copies_said;
  if (more->registers)
    build->registers = more->registers;
  if (more->optimize_said)
    build->optimize = more->optimize;
  build->optimize_said |= more->optimize_said;
  build->near_source |= more->near_source;
  build->without |= more->without;
  build->isa = more->isa ? more->isa : build->isa;
  build->explanation = more->explanation ? more->explanation : build->explanation;
  build->no_cache |= more->no_cache;
  build->tools = more->tools ? more->tools : build->tools;
  build->text = more->text ? more->text : build->text;
  build->reads = more->reads ? more->reads : build->reads;
  build->caller = more->caller ? more->caller : build->caller;
  build->compiled = more->compiled ? more->compiled : build->compiled;
}

size_t program_define(const struct program_build *build, size_t from) {
  const struct program_words *defines = &build->defines;
  for (; from < defines->count; from++) {
    const size_t name = strcspn(defines->word[from], "=");
    size_t later = from + 1;
    while (later < defines->count && (strcspn(defines->word[later], "=") != name ||
                                      strncmp(defines->word[later], defines->word[from], name) != 0))
      later++;
    if (later == defines->count)
      break;
  }
  return from;
}

json_t *program_json_defines(const struct program_build *build) {
  json_t *list = json_array();
  for (size_t i = program_define(build, 0); i < build->defines.count; i = program_define(build, i + 1))
    json_array_append_new(list, json_of_word(build->defines.word[i]));
  return list;
}

void program_build_free(struct program_build *build) {
  free(build->standard);
  program_words_free(&build->defines);
  program_words_free(&build->includes);
  program_words_free(&build->extensions);
  program_words_free(&build->options);
  *build = (struct program_build){0};
}

bool program_copies(const char *word, struct program_build *build, struct message *message) {
  char hint[200];
  build->copies_said = true;
  for (build->copies = 0; build->copies < OPENCL_COPIES; build->copies++)
    if (strcmp(word, opencl_copies_names[build->copies]) == 0)
      return true;
  message_suggest(hint, sizeof hint, word, opencl_copies_names, OPENCL_COPIES);
  return message_fail(message, "no copy mode '%.40s'%s", word, hint);
}

bool program_registers(const char *word, struct program_build *build, struct message *message) {
  char *end = NULL;
  unsigned long number = isdigit((unsigned char)*word) ? strtoul(word, &end, 10) : 0;
  build->registers = (uint32_t)number;
  if (end && !*end && number >= PROGRAM_LEAST_REGISTERS && number <= PROGRAM_MOST_REGISTERS)
    return true;
  return message_fail(message, "'%.40s' is not a whole number in [%d, %d] registers a lane", word,
                      PROGRAM_LEAST_REGISTERS, PROGRAM_MOST_REGISTERS);
}

bool program_optimize(const char *word, struct program_build *build, struct message *message) {
  build->optimize = (unsigned)(*word - '0');
  build->optimize_said = true;
  return (build->optimize < OPENCL_LEVELS && !word[1]) ||
         message_fail(message, "'%.40s' is not an optimization level, 0 to %d", word, OPENCL_LEVELS - 1);
}

/* Every pass but one can be left out. */
static bool fail_pass(const char *word, struct message *message) {
  const char *names[OPENCL_PASSES];
  char legal[400];
  size_t count = 0;
  for (enum opencl_pass pass = 0; pass < OPENCL_PASSES; pass++)
    if (pass != PASS_meet)
      names[count++] = opencl_pass[pass].name;
  if (strcmp(word, opencl_pass[PASS_meet].name) == 0)
    return message_fail(message, "pass '%s' cannot be skipped: without it, warps would not meet at barriers", word);
  message_suggest(legal, sizeof legal, word, names, count);
  return message_fail(message, "no pass '%.40s'%s", word, legal);
}

bool program_without(const char *words, struct program_build *build, struct message *message) {
  char *copy = need_copy(words), *rest = copy;
  bool good = true;
  for (const char *word; good && (word = strsep(&rest, ","));) {
    enum opencl_pass pass = opencl_find_pass(word);
    good = (pass != OPENCL_PASSES && pass != PASS_meet) || fail_pass(word, message);
    build->without |= good ? UINT64_C(1) << pass : 0;
  }
  free(copy);
  return good;
}

bool program_says_lowering(const struct program_build *build) {
  return build->registers || build->copies_said || build->optimize_said || build->without;
}

const char *program_option(enum opencl_part part) {
  return part == OPENCL_STANDARD ? "--cl-std" : part == OPENCL_WORDS ? "-D or --build-option" : "--build-option";
}

/* The first setting that applies only to OpenCL C, or NULL. */
static const char *said_of_source(const struct program_build *build) {
  const struct {
    const char *what;
    bool said;
  } all[] = {{"a standard", build->standard},
             {"defines", build->defines.count},
             {"folders for includes", build->includes.count},
             {"extensions", build->extensions.count},
             {"build options", build->options.count}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].said)
      return all[i].what;
  return NULL;
}

/* ---- loading ----------------------------------------------------------------------------------- */

static const struct {
  const char *extension, *what, *usual;
} languages[PROGRAM_LANGUAGES] = {
    [PROGRAM_OPENCL_C] = {".cl", "OpenCL C", "kernel.cl"},
    [PROGRAM_SPIR_V] = {".spv", "SPIR-V", "kernel.spv"},
    [PROGRAM_LLVM] = {".ll", "LLVM IR", "kernel.ll"},
    [PROGRAM_ASSEMBLY] = {".wws", "assembly", "kernel.wws"},
    [PROGRAM_OBJECT] = {".wwo", "an object file", "kernel.wwo"},
};

enum program_language program_language(const char *path) {
  const char *extension = file_extension(path);
  enum program_language language = 0;
  if (strcmp(extension, ".ocl") == 0 || strcmp(extension, ".opencl") == 0)
    return PROGRAM_OPENCL_C;
  if (strcmp(extension, ".bc") == 0 || strcmp(extension, ".llir") == 0)
    return PROGRAM_LLVM;
  while (language < PROGRAM_LANGUAGES && strcmp(extension, languages[language].extension) != 0)
    language++;
  return language;
}

static bool is_compiled(enum program_language language) {
  return language == PROGRAM_OPENCL_C || language == PROGRAM_LLVM || language == PROGRAM_SPIR_V;
}

static bool check_build(const char *path, enum program_language language, const struct program_build *build,
                        struct message *message) {
  const bool compiled = is_compiled(language);
  const char *said = language == PROGRAM_OPENCL_C ? NULL : said_of_source(build);
  if (said)
    return message_fail(message, "'%s' is %s, which %s cannot change; only .cl is compiled", path,
                        languages[language].what, said);
  if (build->copies_said && !compiled)
    return message_fail(message,
                        "'%s' is %s, whose copies cannot be changed; copy modes are for .cl, .spv, .ll and .bc", path,
                        languages[language].what);
  if (build->registers && !compiled)
    return message_fail(message, "'%s' is %s, whose registers are fixed; the limit is for .cl, .spv, .ll and .bc", path,
                        languages[language].what);
  if ((build->optimize_said || build->without) && !compiled)
    return message_fail(message, "'%s' is %s, which runs unchanged; only .cl, .spv, .ll and .bc are optimized", path,
                        languages[language].what);
  return true;
}

/* Removes the program's name from an error in the build, because the program is not at fault. */
static const char *without_path(const struct program *program, const char *text) {
  size_t length = strlen(program->path);
  bool named = program->blamed != OPENCL_SOURCE && strncmp(text, program->path, length) == 0 && text[length] == ':';
  return named ? text + length + 2 : text;
}

struct asked {
  const char *path; /* of the program */
  struct reads *reads;
  const struct caller *caller;
  struct text *log;
};

static bool allow(void *self, const char *path, char *text, size_t size) {
  struct message message;
  const struct asked *asked = self;
  const bool good = reads_allow(asked->reads, path, &message);
  if (!good)
    snprintf(text, size, "%s", message.text);
  return good;
}

/* The compiler's tools call this while they run, because a large source takes a while. */
static bool cancelled(void *self) {
  const struct asked *asked = self;
  if (caller_due(asked->caller))
    caller_progress(asked->caller, "compiling %.200s", file_base(asked->path));
  return caller_stops(asked->caller);
}

static void quote(void *self, const char *line) {
  const struct asked *asked = self;
  caller_quote(asked->caller, line);
}

static void keep_log(void *self, const char *text) {
  const struct asked *asked = self;
  text_add(asked->log, text, strlen(text));
}

/* ---- what has been compiled ------------------------------------------------------------------------- */

struct program_spirv {
  char *key;
  size_t key_bytes, size;
  uint8_t *data;
  struct program_spirv *next;
};

void program_compiled_free(struct program_compiled *compiled) {
  for (struct program_spirv *at = atomic_load(&compiled->first), *next; at; at = next) {
    next = at->next;
    free(at->key);
    free(at->data);
    free(at);
  }
  atomic_store(&compiled->first, NULL);
}

/* Adds the terminating zero too, so that different lists of words give different keys. */
static void add_word(struct text *key, const char *word) { text_add(key, word, strlen(word) + 1); }

static void add_words(struct text *key, const struct program_words *words) {
  for (size_t i = 0; i < words->count; i++)
    add_word(key, words->word[i]);
  add_word(key, "");
}

/* Everything that the compiled result depends on, except the contents of files, which do not change during a
 * command. */
static struct text key_of(const struct program *program, const struct program_build *build) {
  struct text key = {0};
  add_word(&key, program->path);
  add_word(&key, build->text ? build->text : "");
  add_word(&key, build->text ? "text" : "file");
  add_word(&key, build->standard ? build->standard : "");
  add_words(&key, &build->defines);
  add_words(&key, &build->includes);
  add_words(&key, &build->extensions);
  add_words(&key, &build->options);
  return key;
}

static const struct program_spirv *find_compiled(const struct program_compiled *compiled, const struct text *key) {
  const struct program_spirv *at = atomic_load(&compiled->first);
  while (at && (at->key_bytes != key->length || memcmp(at->key, key->data, key->length) != 0))
    at = at->next;
  return at;
}

struct keeping {
  struct program_compiled *compiled;
  const struct text *key;
  const struct program *program;
};

static char *bytes_of(const void *data, size_t size) {
  char *copy = need(size + 1, 1);
  memcpy(copy, data, size);
  return copy;
}

static void keep_compiled(void *self) {
  const struct keeping *keeping = self;
  struct program_spirv *new = need(1, sizeof *new);
  *new = (struct program_spirv){.key = bytes_of(keeping->key->data, keeping->key->length),
                                .key_bytes = keeping->key->length,
                                .size = keeping->program->spirv_bytes,
                                .data = (uint8_t *)bytes_of(keeping->program->spirv, keeping->program->spirv_bytes),
                                .next = atomic_load(&keeping->compiled->first)};
  while (!atomic_compare_exchange_weak(&keeping->compiled->first, &new->next, new))
    ;
}

/* ---- compiling -------------------------------------------------------------------------------------- */

static bool run_compiler(struct program *program, const struct opencl_build *how, struct message *message) {
  struct isa_error error = {""};
  return opencl_compile(program->path, how, &program->spirv, &program->spirv_bytes, &error) ||
         message_fail(message, "%s", without_path(program, error.text));
}

/* The kept result outlives the call, so it is made under a heap_try() of its own. When out of memory, nothing is
 * kept. */
static bool compile_once(struct program *program, const struct program_build *build, const struct opencl_build *how,
                         struct message *message) {
  struct text key = key_of(program, build);
  const struct program_spirv *known = find_compiled(build->compiled, &key);
  if (known) {
    program->spirv = (uint8_t *)bytes_of(known->data, known->size);
    program->spirv_bytes = known->size;
  }
  const bool good = known || run_compiler(program, how, message);
  if (good && !known)
    heap_try(NULL, keep_compiled, &(struct keeping){build->compiled, &key, program}, NULL);
  free(key.data);
  return good;
}

/* Compiles the program's text or, if `bitcode` is given, that. */
static bool compile(struct program *program, const struct program_build *build, const struct opencl_bitcode *bitcode,
                    struct message *message) {
  struct asked asked = {program->path, build->reads, build->caller, build->log};
  const struct opencl_reads reads = {allow, &asked};
  const struct opencl_build how = {.standard = build->standard,
                                   .defines = build->defines.word,
                                   .includes = build->includes.word,
                                   .extensions = build->extensions.word,
                                   .options = build->options.word,
                                   .no_cache = build->no_cache,
                                   .tools = build->tools,
                                   .text = program->text ? program->text : build->text,
                                   .in_memory = program->in_memory,
                                   .headers = build->headers,
                                   .header_count = build->header_count,
                                   .bitcode = bitcode,
                                   .log = build->log ? keep_log : NULL,
                                   .blamed = &program->blamed,
                                   .reads = &reads,
                                   .cancelled = cancelled,
                                   .say = quote,
                                   .self = &asked};
  caller_busy(build->caller, true);
  program->uniform_groups = opencl_uniform_groups(&how);
  if (!build->optimize_said && opencl_is_unoptimized(&how))
    program->target.optimize = 0;
  const bool once = build->compiled && !program->in_memory;
  const bool good = once ? compile_once(program, build, &how, message) : run_compiler(program, &how, message);
  caller_busy(build->caller, false);
  return good;
}

/* A program in memory may name files, but must not read any. */
static bool allow_none(void *self, const char *path, char *text, size_t size) {
  (void)self;
  snprintf(text, size, "%.200s: a program in memory cannot read files", path);
  return false;
}

static struct isa_program *lower(struct program *program, struct opencl_explanation *explanation,
                                 struct message *message) {
  struct asked asked = {program->path, program->reads, NULL, NULL};
  const struct opencl_reads reads = {program->in_memory && !program->text ? allow_none : allow, &asked};
  const struct opencl_limits limits = {.target = program->target,
                                       .copies = program->copies,
                                       .reads = &reads,
                                       .text = program->text,
                                       .explanation = explanation};
  struct isa_error error = {""};
  struct isa_program *isa =
      opencl_lower_each(program->spirv, program->spirv_bytes, program->path, &limits, &program->refusals, &error);
  if (!isa)
    message_fail(message, "%s", error.text);
  return isa;
}

struct relowering {
  const struct program *program;
  const struct opencl_target *target;
  const char *kernel;
  struct message *message;
  struct program_lowering *made; /* NULL: failed */
};

/* Copies the source texts for reports, which were read when the program was first lowered. */
static void copy_texts(const struct isa_program *from, struct isa_program *to) {
  assert(to->source_count == from->source_count && "both belong to one module");
  for (size_t i = 0; i < to->source_count; i++) {
    const struct isa_source *source = &from->sources[i];
    struct isa_source *copy = &to->sources[i];
    copy->path = source->path ? need_copy(source->path) : NULL;
    copy->text = source->text ? need(source->lines, sizeof *copy->text) : NULL;
    for (; copy->lines < source->lines; copy->lines++)
      copy->text[copy->lines] = need_copy(source->text[copy->lines]);
  }
}

static void relower(void *self) {
  struct relowering *call = self;
  struct opencl_refusals refusals = {0};
  const struct opencl_limits limits = {
      .target = *call->target, .copies = call->program->copies, .reads = &(struct opencl_reads){allow_none, NULL}};
  struct isa_error error = {""};
  struct isa_program *isa = opencl_lower_each(call->program->spirv, call->program->spirv_bytes, call->program->path,
                                              &limits, &refusals, &error);
  const struct isa_error *why = isa ? opencl_refused(&refusals, call->kernel) : &error;
  if (isa && !why) {
    copy_texts(call->program->isa, isa);
    call->made = need(1, sizeof *call->made);
    *call->made = (struct program_lowering){*call->target, isa, NULL};
  } else {
    message_fail(call->message, "%s", why->text);
    isa_program_free(isa);
  }
  opencl_refusals_free(&refusals);
}

/* The result outlives the call, so it is made under a heap_try() of its own. */
const struct isa_program *program_for(struct program *program, const struct opencl_target *target, const char *kernel,
                                      struct message *message) {
  struct relowering call = {program, target, kernel, message, NULL};
  size_t wanted = 0;
  if (opencl_same_target(&program->target, target))
    return program->isa;
  for (const struct program_lowering *known = atomic_load(&program->lowered); known; known = known->next)
    if (opencl_same_target(&known->target, target) && isa_find_kernel(known->isa, kernel))
      return known->isa;
  if (!heap_try(NULL, relower, &call, &wanted)) {
    if (heap_guarded())
      heap_out(wanted);
    message_fail(message, "out of memory");
    return NULL;
  }
  if (!call.made)
    return NULL;
  call.made->next = atomic_load(&program->lowered);
  while (!atomic_compare_exchange_weak(&program->lowered, &call.made->next, call.made))
    ;
  return call.made->isa;
}

static void translate(struct program *program, enum program_language language, const char *data, size_t size,
                      struct message *message) {
  struct isa_error error = {""};
  program->isa = language == PROGRAM_OBJECT ? isa_decode((const uint8_t *)data, size, program->path, &error)
                                            : isa_assemble(data, size, program->path, &error);
  if (!program->isa)
    message_fail(message, "%s", error.text);
}

static void specialize(const struct program_build *build, uint8_t *spirv, size_t size) {
  for (size_t i = 0; i < build->constant_count; i++)
    opencl_specialize(spirv, size, build->constants[i].id, build->constants[i].value);
}

static void begin_program(struct program *program, const struct program_build *build) {
  program->target = opencl_usual_target();
  if (build->registers)
    program->target.registers = build->registers;
  if (build->optimize_said || build->near_source)
    program->target.optimize = build->optimize_said ? build->optimize : 0;
  program->target.without = build->without;
  program->target.checked = build->near_source;
  if (build->isa)
    program->target.isa = *build->isa;
  program->copies = build->copies;
  program->reads = build->reads;
}

/* Text is read here; bitcode is printed by clang first. */
static bool read_llvm(struct program *program, const char *data, size_t size, const struct program_build *build,
                      struct message *message) {
  struct isa_error error = {""};
  const struct opencl_bitcode bitcode = {data, size};
  if (llvm_is_bitcode((const uint8_t *)data, size))
    return compile(program, build, &bitcode, message);
  return llvm_to_spirv(data, size, program->path, &program->spirv, &program->spirv_bytes, &error) ||
         message_fail(message, "%s", error.text);
}

/* Makes SPIR-V of `data` or, in OpenCL C, of the program's text or file. */
static bool make_spirv(struct program *program, enum program_language language, const char *data, size_t size,
                       const struct program_build *build, struct message *message) {
  if (language == PROGRAM_OPENCL_C)
    return compile(program, build, NULL, message);
  if (language == PROGRAM_LLVM && !read_llvm(program, data, size, build, message))
    return false;
  if (language == PROGRAM_SPIR_V) {
    program->spirv = (uint8_t *)bytes_of(data, size);
    program->spirv_bytes = size;
  }
  specialize(build, program->spirv, program->spirv_bytes);
  return true;
}

/* The last step of every way to make a program. */
static bool finish(struct program *program, enum program_language language, const char *data, size_t size,
                   const struct program_build *build, struct message *message) {
  begin_program(program, build);
  if (!is_compiled(language))
    translate(program, language, data, size, message);
  else if (make_spirv(program, language, data, size, build, message))
    program->isa = lower(program, build->explanation, message);
  return program->isa;
}

bool program_load(struct program *program, const char *path, const struct program_build *build, bool *inside,
                  struct message *message) {
  enum program_language language = program_language(path);
  char *data = NULL;
  size_t size = 0;
  *inside = false;
  if (language == PROGRAM_LANGUAGES && !file_exists(path))
    return message_fail(message, "%s: %s", path, text_errno(ENOENT));
  if (language == PROGRAM_LANGUAGES && strcmp(file_extension(path), ".wwt") == 0)
    return message_fail(message, "'%s' is a trace; use `warpwait replay` or `warpwait explain`", path);
  if (language == PROGRAM_LANGUAGES)
    return message_fail(message, "'%s' is not a program; legal: " PROGRAM_LEGAL, path);
  if (language == PROGRAM_ASSEMBLY && file_exists(path) && !reads_is_named(path, ".wws"))
    return message_fail(message, "'%s' leads to a file whose name does not end in .wws", path);
  if (!check_build(path, language, build, message) ||
      !reads_file(build->reads, path, FILE_BYTES, &data, &size, message))
    return false;
  program->path = need_copy(path);
  *inside = !finish(program, language, data, size, build, message);
  free(data);
  return !*inside;
}

/* Skips blanks and comments: assembly starts with a directive. */
static bool is_assembly(const char *text, const char *end) {
  while (text < end && (isspace((unsigned char)*text) || *text == ';'))
    if (*text++ == ';')
      while (text < end && *text != '\n')
        text++;
  return text < end && *text == '.';
}

static enum program_language language_in(const char *data, size_t size) {
  static const uint8_t spirv[2][4] = {{0x03, 0x02, 0x23, 0x07}, {0x07, 0x23, 0x02, 0x03}};
  if (size >= 4 && (memcmp(data, spirv[0], 4) == 0 || memcmp(data, spirv[1], 4) == 0))
    return PROGRAM_SPIR_V;
  if (size >= 3 && memcmp(data, "WWO", 3) == 0)
    return PROGRAM_OBJECT;
  if (llvm_is_text((const uint8_t *)data, size) || llvm_is_bitcode((const uint8_t *)data, size))
    return PROGRAM_LLVM;
  return is_assembly(data, data + size) ? PROGRAM_ASSEMBLY : PROGRAM_OPENCL_C;
}

const char *program_usual_name(const void *data, size_t size) {
  return languages[size > FILE_BYTES ? PROGRAM_OPENCL_C : language_in(data, size)].usual;
}

/* Begins a program of bytes in memory, and finds their language. */
static bool take_bytes(struct program *program, const char *name, const void *data, size_t size,
                       const struct program_build *build, enum program_language *language, struct message *message) {
  if (size > FILE_BYTES)
    return message_fail(message, "%.200s: larger than %d bytes, the most that are read", name, FILE_BYTES);
  *language = language_in(data, size);
  if (*language == PROGRAM_OPENCL_C && memchr(data, 0, size))
    return message_fail(message, "%.200s: contains a zero byte; OpenCL C is text", name);
  if (!check_build(name, *language, build, message))
    return false;
  program->path = need_copy(name);
  program->in_memory = true;
  program->text = *language == PROGRAM_OPENCL_C ? bytes_of(data, size) : NULL;
  return true;
}

bool program_make(struct program *program, const char *name, const void *data, size_t size,
                  const struct program_build *build, struct message *message) {
  enum program_language language;
  return take_bytes(program, name, data, size, build, &language, message) &&
         finish(program, language, data, size, build, message);
}

static bool is_linkable(const char *name, enum program_language language, struct message *message) {
  return is_compiled(language) ||
         message_fail(message, "%.200s: is %s, which cannot be linked; legal: OpenCL C, SPIR-V, LLVM IR", name,
                      languages[language].what);
}

bool program_compile_unit(const char *name, const void *source, size_t source_bytes, const struct program_build *build,
                          uint8_t **spirv, size_t *size, struct message *message) {
  struct program unit = {0};
  enum program_language language;
  const bool good = take_bytes(&unit, name, source, source_bytes, build, &language, message) &&
                    is_linkable(name, language, message) &&
                    make_spirv(&unit, language, source, source_bytes, build, message);
  *spirv = unit.spirv;
  *size = unit.spirv_bytes;
  unit.spirv = NULL;
  program_free(&unit);
  return good;
}

/* Linked programs have no source text, so reports show no source lines. */
bool program_link(struct program *program, const char *name, const struct spirv_unit *units, size_t count,
                  const struct program_build *build, struct message *message) {
  struct isa_error error = {""};
  program->path = need_copy(name);
  program->in_memory = true;
  begin_program(program, build);
  if (!spirv_link(units, count, &program->spirv, &program->spirv_bytes, &error))
    return message_fail(message, "%s", error.text);
  program->isa = lower(program, build->explanation, message);
  return program->isa;
}

const struct isa_kernel *program_kernel(const struct program *program, const char *name, struct message *message) {
  const struct isa_program *isa = program->isa;
  const struct isa_kernel *kernel = isa_find_kernel(isa, name);
  const struct isa_error *refused = opencl_refused(&program->refusals, name);
  if (kernel)
    return kernel;
  if (refused) {
    message_fail(message, "%s", refused->text);
    return NULL;
  }
  const char **names = need(isa->kernel_count, sizeof *names);
  char hint[400];
  for (size_t i = 0; i < isa->kernel_count; i++)
    names[i] = isa->kernels[i].name;
  message_suggest(hint, sizeof hint, name, names, isa->kernel_count);
  free(names);
  message_fail(message, "no kernel '%.60s' in %s%s", name, file_base(isa->file), hint);
  return NULL;
}

const char *program_only_kernel(const struct program *program) {
  return program->isa->kernel_count + program->refusals.count == 1 ? program->isa->kernels[0].name : NULL;
}

/* ---- unused defines ------------------------------------------------------------------------------ */

static bool of_a_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool mentions(const char *text, const char *name, size_t length) {
  for (const char *at = text; (at = memmem(at, strlen(at), name, length)) != NULL; at += length)
    if ((at == text || !of_a_name(at[-1])) && !of_a_name(at[length]))
      return true;
  return false;
}

/* Names in `known` other than `name`, at most MOST_KNOWN. */
enum { MOST_KNOWN = 32, NAME_BYTES = 64 };

static size_t other_names(const struct program_words *known, const char *name, char names[MOST_KNOWN][NAME_BYTES]) {
  size_t count = 0;
  for (size_t i = 0; i < known->count && count < MOST_KNOWN; i++) {
    snprintf(names[count], NAME_BYTES, "%.*s", (int)strcspn(known->word[i], "=("), known->word[i]);
    count += strcmp(names[count], name) != 0;
  }
  return count;
}

static void report_unmentioned(const struct caller *caller, const char *file, const char *name,
                               const struct program_words *known) {
  char names[MOST_KNOWN][NAME_BYTES];
  const char *words[MOST_KNOWN];
  struct message message;
  const size_t count = other_names(known, name, names);
  for (size_t i = 0; i < count; i++)
    words[i] = names[i];
  char hint[MESSAGE_HINT];
  message_fail(&message, "-D %s: %.200s does not mention this macro%s", name, file,
               message_hint(hint, nearest_word(name, words, count, sizeof *words)));
  caller_warn(caller, &message);
}

void program_report_unmentioned(const struct program *program, const struct program_words *defines,
                                const struct program_words *known, const struct caller *caller) {
  char *text = NULL;
  size_t size = 0;
  struct message message;
  if (!defines->count || !program_is_opencl(program->path) ||
      !file_read(program->path, FILE_BYTES, &text, &size, &message))
    return;
  for (size_t i = 0; i < defines->count && !strstr(text, "include"); i++) {
    char name[NAME_BYTES];
    const int length = snprintf(name, sizeof name, "%.*s", (int)strcspn(defines->word[i], "=("), defines->word[i]);
    if (length > 0 && length < NAME_BYTES && !mentions(text, name, (size_t)length))
      report_unmentioned(caller, file_base(program->path), name, known);
  }
  free(text);
}

void program_report_refusals(const struct program *program, const struct caller *caller) {
  struct message message;
  for (size_t i = 0; i < program->refusals.count; i++) {
    const struct opencl_refusal *refusal = &program->refusals.row[i];
    message_fail(&message, "kernel '%s' is skipped: %s", refusal->kernel, refusal->error.text);
    caller_warn(caller, &message);
  }
}

void program_free(struct program *program) {
  for (struct program_lowering *lowering = atomic_load(&program->lowered), *next; lowering; lowering = next) {
    next = lowering->next;
    isa_program_free(lowering->isa);
    free(lowering);
  }
  opencl_refusals_free(&program->refusals);
  if (program->isa)
    isa_program_free(program->isa);
  free(program->spirv);
  free(program->text);
  free(program->path);
  *program = (struct program){0};
}

uint32_t program_line(const struct isa_program *program, uint32_t pc) {
  return program->line && pc < program->count ? program->line[pc] : 0;
}

void program_place(const struct isa_program *program, uint32_t pc, char text[PROGRAM_PLACE]) {
  uint32_t line = program_line(program, pc);
  const char *source = isa_source_name(program, pc);
  snprintf(text, PROGRAM_PLACE, "%.240s%s%u", file_base(source ? source : program->file), line ? ":" : ", instruction ",
           line ? line : pc);
}

bool program_same_line(const struct isa_program *program, uint32_t a, uint32_t b) {
  const uint32_t line = program_line(program, a);
  return a == b || (line && line == program_line(program, b) && program->source[a] == program->source[b]);
}
