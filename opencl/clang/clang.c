/* From OpenCL C to SPIR-V by running clang with a temporary folder, which is removed afterwards.
 *
 *     kernel.cl ──► text ──hash──► cache? ──yes────────► LLVM IR ──opencl/llvm──► SPIR-V
 *                                    │no                    ▲
 *                                    └──► clang ──► kept ───┘
 *
 * The text is the source itself or, if it includes other files, the output of clang -E, which contains them. Our own
 * header (prelude.h) precedes the program. The cache keeps LLVM IR as clang wrote it, so what it holds does not depend
 * on our reader. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl/clang/cache.h"
#include "opencl/clang/clang.h"
#include "opencl/clang/clang_options.h"
#include "opencl/clang/key.h"
#include "opencl/clang/prelude.h"
#include "opencl/clang/process.h"
#include "opencl/clang/source_name.h"
#include "opencl/clang/tool_errors.h"
#include "opencl/clang/tools.h"
#include "opencl/llvm/llvm.h"
#include "sim/base/environment.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/words.h"

/* Part of every key: a new number invalidates all cached results. */
static const char format_version[] = "warpwait opencl 14";

enum { PATH_BYTES = 1024, FILE_BYTES = 64 << 20 /* the largest source that is accepted */ };

/* Files in the temporary folder. */
enum file { FILE_PRELUDE, FILE_READ, FILE_HEADERS, FILES };
static const char *const file_names[FILES] = {"warpwait.h", "read", "headers"};

/* A tool's output, or text; the owner frees `at`. */
struct piece {
  char *at;
  size_t size;
};

struct compilation {
  const char *path; /* as the user gave it */
  const struct opencl_build *build;
  struct reporter reporter;
  struct clang_options options;
  struct opencl_tools tools; /* `cache` may be NULL */
  bool uninitialized;        /* clang has warned of a variable that is not initialized */
  char *prelude;             /* text of the header */
  bool channels;             /* the source enables channels */
  char folder[PATH_BYTES], file[FILES][PATH_BYTES + 16];
};

/* ---- command lines ------------------------------------------------------------------------------- */

/* The words that all runs over the source share. clang refuses inline assembly and names the line. Our own words come
 * last, so they win. Unless the user says otherwise, an invalid printf format is an error, because it would print other
 * memory, and a variable that is certainly not initialized is a warning, no error. Variables that are not initialized
 * on some paths do not count: a correct program may never take these. */
static void add_source(const struct compilation *c, struct words *words) {
  const struct opencl_build *build = c->build;
  words_add_list(words, WORDS(c->tools.clang, "-x", "cl", "-Werror=format-invalid-specifier",
                              "-Werror=format-insufficient-args", "-Wuninitialized", "-Wno-sometimes-uninitialized"));
  if (!c->options.wants_all)
    words_add(words, "-Wno-error=uninitialized");
  if (!c->options.standard)
    words_add_joined(words, "-cl-std=", build->standard ? build->standard : "CL2.0");
  words_add_list(words, c->options.words.word);
  /* Channels are variables at program scope, which OpenCL C 1.2 does not have. */
  if (c->channels && (c->options.standard ? c->options.is_1 : build->standard && clang_options_is_1(build->standard)))
    words_add(words, "-cl-std=CL2.0");
  if (c->channels) /* clang knows neither the pragma nor some attributes that go with it */
    words_add_list(words, WORDS("-D" PRELUDE_CHANNELS, "-Wno-ignored-pragmas", "-Wno-unknown-attributes"));
  if (build->header_count)
    words_add_list(words, WORDS("-I", c->file[FILE_HEADERS]));
  for (const char *const *define = build->defines; define && *define; define++)
    words_add_joined(words, "-D", *define);
  for (const char *const *include = build->includes; include && *include; include++)
    words_add_joined(words, "-I", *include);
  for (const char *const *extension = build->extensions; extension && *extension; extension++) {
    words_add(words, "-Xclang");
    words_add_joined(words, "-cl-ext=+", *extension);
  }
  words_add_list(words, WORDS("-target", "spir64", "-include", c->file[FILE_PRELUDE], "-fno-gnu-inline-asm",
                              "-fno-color-diagnostics", "-fno-caret-diagnostics", "-fno-crash-diagnostics",
                              "-ferror-limit=0"));
}

/* clang would take a path with such a first character for something else. */
static void add_path(struct words *words, const char *path) {
  if (*path == '-' || *path == '@')
    words_add_joined(words, "./", path);
  else
    words_add(words, path);
}

/* The program: its file, or standard input if the text replaces the file. */
static void add_program(const struct compilation *c, struct words *words) {
  if (!c->build->text) {
    add_path(words, c->path);
    return;
  }
  char folder[PATH_BYTES];
  const char *slash = strrchr(c->path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - c->path + 1) : 2, slash ? c->path : "./");
  words_add(words, "-iquote");
  words_add_joined(words, folder, "");
  words_add(words, "-");
}

/* The text that replaces the file, with the file's line numbers. The path is quoted as clang -E does. */
static struct piece text_for_file(const struct compilation *c) {
  struct text made = {0};
  if (!c->build->text)
    return (struct piece){0};
  text_print(&made, "# 1 \"");
  for (const char *at = c->path; *at; at++)
    text_print(&made, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
  text_print(&made, "\"\n%s", c->build->text);
  return (struct piece){made.data, made.length};
}

/* ---- running ------------------------------------------------------------------------------------- */

/* Runs clang on `input`; its output is in *made. */
static bool run_clang(struct compilation *c, const char *const *argv, const struct piece *input, bool loud,
                      struct piece *made) {
  const struct process process = {.argv = argv,
                                  .folder = c->folder,
                                  .input = input->at,
                                  .input_bytes = input->size,
                                  .cancelled = c->build->cancelled,
                                  .self = c->build->self};
  struct process_end end;
  process_run(&process, &end);
  if (!end.error && c->build->log)
    c->build->log(c->build->self, end.text);
  if (!end.error && !c->build->text)
    tool_report(&c->reporter, &end, loud);
  c->uninitialized |= !end.error && strstr(end.text, TOOL_UNINITIALIZED);
  const bool good = process_good(&end) || tool_failed(&c->reporter, argv[0], &end);
  if (good) {
    *made = (struct piece){end.output, end.output_bytes};
    end.output = NULL;
  }
  process_free(&end);
  return good;
}

/* ---- files --------------------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text, size_t size) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = file >= 0;
  while (good && size) {
    const ssize_t put = write(file, text, size);
    good = put >= 0;
    text += put > 0 ? put : 0;
    size -= put > 0 ? (size_t)put : 0;
  }
  return file >= 0 && close(file) == 0 && good;
}

/* A relative path that does not leave its folder. */
static bool is_header_name(const char *name) {
  const size_t length = strlen(name);
  if (!length || *name == '/' || name[length - 1] == '/')
    return false;
  for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
    if (strcspn(at, "/") == 0 || (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])))
      return false;
  return true;
}

/* Writes a header, and makes the folders in its name. */
static bool write_header(const struct compilation *c, const struct opencl_header *header) {
  char path[2 * PATH_BYTES];
  const int length = snprintf(path, sizeof path, "%s/%s", c->file[FILE_HEADERS], header->name);
  if (!is_header_name(header->name) || length >= (int)sizeof path)
    return tool_fail(&c->reporter, "header '%.100s': the name must be a relative path without '..'", header->name);
  for (char *slash = path + strlen(c->file[FILE_HEADERS]); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool good = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!good)
      return tool_fail(&c->reporter, "header '%.100s' cannot be written: %s", header->name, text_errno(errno));
  }
  return write_file(path, header->text, header->size) ||
         tool_fail(&c->reporter, "header '%.100s' cannot be written: %s", header->name, text_errno(errno));
}

static bool write_headers(const struct compilation *c) {
  for (size_t i = 0; i < c->build->header_count; i++)
    if (!write_header(c, &c->build->headers[i]))
      return false;
  return true;
}

static bool make_folder(struct compilation *c) {
  const char *base = c->tools.temporary;
  int used = snprintf(c->folder, sizeof c->folder, "%s/warpwait-XXXXXX", base);
  if (used >= (int)sizeof c->folder || !mkdtemp(c->folder)) {
    *c->folder = '\0';
    return tool_fail(&c->reporter, "no temporary folder in %.200s: %s", base, text_errno(errno));
  }
  for (size_t i = 0; i < FILES; i++)
    snprintf(c->file[i], sizeof c->file[i], "%s/%s", c->folder, file_names[i]);
  if (!write_file(c->file[FILE_PRELUDE], c->prelude, strlen(c->prelude)))
    return tool_fail(&c->reporter, "%.200s cannot be written: %s", c->folder, text_errno(errno));
  return write_headers(c);
}

/* Called for a folder's contents before the folder. */
static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  remove(path);
  return 0;
}

/* A tool that was stopped may have left files. */
static void remove_folder(void *self) {
  enum { OPEN = 8 };
  const struct compilation *c = self;
  if (*c->folder)
    nftw(c->folder, remove_one, OPEN, FTW_DEPTH | FTW_PHYS);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static bool refuse_file(const struct compilation *c, const char *why) {
  tool_blame(&c->reporter, OPENCL_SOURCE);
  return tool_fail(&c->reporter, "%s", why);
}

/* The folder of clang's own headers. Only clang knows it: a program may have headers of the same names elsewhere. */
static bool folder_of_clang(struct compilation *c, char **folder) {
  struct piece said = {0};
  if (!run_clang(c, WORDS(c->tools.clang, "-print-resource-dir"), &(struct piece){0}, false, &said))
    return false;
  struct words words = {0};
  said.at[strcspn(said.at, "\n")] = '\0';
  words_add_joined(&words, said.at, "/include/");
  *folder = need_copy(words.word[0]);
  words_free(&words);
  free(said.at);
  return true;
}

/* Is the path in clang's or our own folder? Those need no permission. */
static bool is_below(const char *path, const char *folder) {
  return *folder && strncmp(path, folder, strlen(folder)) == 0 && !strstr(path, "/../");
}

/* The next path of the list, unescaped in place; NULL at the end. */
static char *next_path(char **list) {
  char *from = *list, *to = NULL;
  for (; *from == ' ' || *from == '\n' || (*from == '\\' && from[1] == '\n'); from++)
    continue;
  char *path = to = from;
  for (; *from && *from != ' ' && *from != '\n'; from++) {
    if (*from == '\\' && from[1] == '\n')
      break;
    if ((*from == '\\' && (from[1] == ' ' || from[1] == '#')) || (*from == '$' && from[1] == '$'))
      from++;
    *to++ = *from;
  }
  *list = *from ? from + 1 : from;
  *to = '\0';
  return to > path ? path : NULL;
}

/* clang's list of the files that it has read turns backslashes into slashes, so a name with a backslash could pass for
 * another file. The output of -E has names as they are: # 1 "a\\b.h" 1. */
static bool check_names(const struct compilation *c, const struct piece *text) {
  static const char begin[] = "# 1 \"", entered[] = "\" 1";
  for (const char *line = text->at, *end; *line; line = end + (*end == '\n')) {
    end = line + strcspn(line, "\n");
    const char *name = line + sizeof begin - 1;
    if (strncmp(line, begin, sizeof begin - 1) != 0)
      continue;
    const char *quote = memrchr(name, '"', (size_t)(end - name));
    if (quote && strncmp(quote, entered, sizeof entered - 1) == 0 && memchr(name, '\\', (size_t)(quote - name)))
      return tool_fail(&c->reporter, "a file whose name has a backslash cannot be included: \"%.*s\"",
                       (int)(quote - name), name);
  }
  return true;
}

/* A file's content may appear in any compiler message and in kernel names, so not quoting its lines would not keep it
 * secret. */
static bool check_file(const struct compilation *c, const char *path) {
  const struct opencl_reads *reads = c->build->reads;
  char why[OPENCL_WHY];
  if (!reads->allow(reads->self, path, why, sizeof why))
    return refuse_file(c, why);
  snprintf(why, sizeof why, "error: '%.120s' is included but not named like a source (" SOURCE_NAMES ")", path);
  return source_is_named(path) || refuse_file(c, why);
}

/* clang lists the files that it has read in make's format: "-: a.cl \\\n  b\\ c.h". */
static bool check_read(struct compilation *c) {
  struct piece text;
  char *brought = NULL;
  if (file_read_regular(c->file[FILE_READ], FILE_BYTES, &text.at, &text.size)) {
    free(text.at);
    return tool_fail(&c->reporter, "%s did not list the files that it read", c->tools.clang);
  }
  char *list = strchr(text.at, ':');
  list = list ? list + 1 : text.at + text.size;
  if (!c->build->text)
    next_path(&list); /* the program */
  bool good = folder_of_clang(c, &brought);
  for (char *path; good && (path = next_path(&list));)
    good = is_below(path, brought) || is_below(path, c->folder) || check_file(c, path);
  free(brought);
  free(text.at);
  return good;
}

/* ---- the key ------------------------------------------------------------------------------------- */

static bool preprocess(struct compilation *c, struct piece *text) {
  struct words words = {0};
  add_source(c, &words);
  words_add_list(&words, WORDS("-w", "-E", "-MD", "-MF", c->file[FILE_READ], "-o", "-"));
  add_program(c, &words);
  const struct piece input = text_for_file(c);
  bool good = run_clang(c, words.word, &input, false, text);
  free(input.at);
  words_free(&words);
  return good;
}

/* The temporary folder has a new name each time, and that name appears in the text's line markers. */
static void hide_folder(const struct compilation *c, struct piece *text) {
  const size_t length = strlen(c->folder);
  char *const end = text->at + text->size;
  for (char *at = text->at; (at = memmem(at, (size_t)(end - at), c->folder, length)); at += length)
    memset(at, '-', length);
}

/* The text that clang will see: the source itself if it includes nothing, which saves a run of clang; otherwise the
 * output of -E. */
static bool read_text(struct compilation *c, struct piece *text) {
  char why[OPENCL_WHY];
  const struct opencl_reads *reads = c->build->reads;
  if (c->build->bitcode) {
    *text = (struct piece){need_bytes(c->build->bitcode->data, c->build->bitcode->size), c->build->bitcode->size};
    return true;
  }
  if (reads && !c->build->in_memory && !reads->allow(reads->self, c->path, why, sizeof why))
    return refuse_file(c, why);
  const char *fault = NULL;
  if (c->build->text)
    *text = (struct piece){need_copy(c->build->text), strlen(c->build->text)};
  else
    fault = file_read_regular(c->path, FILE_BYTES, &text->at, &text->size);
  const bool whole = !fault && key_is_whole(text->at, text->size, c->options.words.word, c->build->defines);
  if (fault || !whole)
    free(text->at);
  if (fault)
    return tool_fail(&c->reporter, "%s", fault);
  if (whole)
    return true;
  if (!preprocess(c, text))
    return false;
  hide_folder(c, text);
  if (!reads || (check_names(c, text) && check_read(c)))
    return true;
  free(text->at);
  return false;
}

static void add_part(struct cache_part *parts, size_t *count, const char *text) {
  parts[(*count)++] = (struct cache_part){text, strlen(text)};
}

static void make_name(const struct compilation *c, const struct piece *text, char name[CACHE_NAME]) {
  enum { FIXED = 6 };
  char clang[PATH_MAX + 64];
  size_t count = 0;
  key_tool(c->tools.clang, clang, sizeof clang);
  struct words words = {0};
  add_source(c, &words);
  struct cache_part *parts = need(words.count + FIXED, sizeof *parts);
  add_part(parts, &count, format_version);
  add_part(parts, &count, c->prelude);
  add_part(parts, &count, c->path); /* file names end up in the result */
  add_part(parts, &count, clang);
  add_part(parts, &count, c->build->bitcode ? "bitcode" : "");
  parts[count++] = (struct cache_part){text->at, text->size};
  for (size_t i = 0; i < words.count; i++)
    if (strncmp(words.word[i], c->folder, strlen(c->folder)) != 0)
      add_part(parts, &count, words.word[i]);
  cache_name(parts, count, name);
  free(parts);
  words_free(&words);
}

/* ---- LLVM IR ------------------------------------------------------------------------------------- */

/* clang 16 has opaque pointers but no type for events yet, so they would be pointers like any other. */
static void add_pointers(const struct compilation *c, struct words *words) {
  const char *suffix = strrchr(c->tools.clang, '-');
  if (suffix && strcmp(suffix, "-16") == 0)
    words_add_list(words, WORDS("-Xclang", "-no-opaque-pointers"));
}

/* LLVM's passes stay off: measured against a GPU, our own do better on code as the front end wrote it. -O2 has it write
 * what it leaves out at -O0: lifetimes, and functions that are only `inline`. Debug information without a folder name
 * makes the result independent of the folder. Value names keep the names of arguments, for messages. */
static bool compile(struct compilation *c, struct piece *made) {
  struct words words = {0};
  add_source(c, &words);
  words_add_list(&words, WORDS("-gline-tables-only", "-fdebug-compilation-dir=.", "-fno-discard-value-names",
                               "-emit-llvm", "-O2", "-Xclang", "-disable-llvm-passes", "-S"));
  add_pointers(c, &words);
  words_add_list(&words, WORDS("-o", "-"));
  add_program(c, &words);
  const struct piece input = text_for_file(c);
  bool good = run_clang(c, words.word, &input, c->options.warnings, made);
  free(input.at);
  words_free(&words);
  return good;
}

/* clang prints a module for the target that its options name. For which one it was made shows in the rest. */
static void drop_target(const struct piece *code) {
  char *line = strstr(code->at, "\ntarget triple = ");
  if (line)
    memset(line + 1, ' ', strcspn(line + 1, "\n"));
}

/* clang reads bitcode of its own version and of all before. */
static bool text_of_bitcode(struct compilation *c, struct piece *code) {
  const struct piece bitcode = {(char *)(uintptr_t)c->build->bitcode->data, c->build->bitcode->size};
  const bool good = run_clang(c,
                              WORDS(c->tools.clang, "-x", "ir", "-target", "spir64", "-w", "-emit-llvm", "-O1",
                                    "-Xclang", "-disable-llvm-passes", "-S", "-o", "-", "-"),
                              &bitcode, false, code);
  if (good && code->size)
    drop_target(code);
  return good;
}

/* Lines in messages about the text are not the source's, so they name the text. */
static bool read_llvm(const struct compilation *c, const char *text, size_t length, uint8_t **spirv, size_t *size) {
  char *name = need_print("LLVM IR of %s", c->path);
  const bool good = llvm_to_spirv(text, length, name, spirv, size, c->reporter.error);
  free(name);
  return good;
}

/* Finds LLVM IR in the cache, or runs clang. Only clang prints warnings, so if the user requests them, it must run. A
 * result with a warning that nobody requests is not kept. */
static bool make_llvm(struct compilation *c, struct piece *made) {
  char name[CACHE_NAME];
  const bool cached = !c->build->no_cache;
  struct piece text = {0};
  if (!read_text(c, &text))
    return false;
  c->channels = !c->build->bitcode && prelude_has_channels(text.at, c->build->extensions);
  if (cached)
    make_name(c, &text, name);
  free(text.at);
  uint8_t *kept = NULL;
  if (cached && !c->options.warnings && cache_find(c->tools.cache, name, &kept, &made->size)) {
    made->at = (char *)kept;
    return true;
  }
  if (!(c->build->bitcode ? text_of_bitcode(c, made) : compile(c, made)))
    return false;
  if (!made->size)
    return tool_fail(&c->reporter, "%s produced no output", c->tools.clang);
  if (cached && !c->uninitialized)
    cache_keep(c->tools.cache, name, (const uint8_t *)made->at, made->size);
  return true;
}

static bool make_spirv(struct compilation *c, uint8_t **spirv, size_t *size) {
  struct piece made = {0};
  const bool good = make_llvm(c, &made) && read_llvm(c, made.at, made.size, spirv, size);
  free(made.at);
  return good;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/* Extension names are written into our header, so they must be plain. */
static bool check_extensions(const struct compilation *c) {
  static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (const char *const *name = c->build->extensions; name && *name; name++)
    if (!**name || (*name)[strspn(*name, legal)])
      return tool_fail(&c->reporter, "'%.60s' is not the name of an extension, such as cl_khr_fp16", *name);
  return true;
}

/* Parts of the build that become options of clang, prefixed with the option's name. */
static bool check_joined(const struct compilation *c, const char *option, const char *const *values) {
  char why[OPENCL_WHY];
  for (; values && *values; values++)
    if (!opencl_option_good(option, *values, why, sizeof why))
      return tool_fail(&c->reporter, "%s", why);
  return true;
}

static bool check_build(struct compilation *c) {
  const struct opencl_build *build = c->build;
  char why[OPENCL_WHY];
  tool_blame(&c->reporter, OPENCL_OPTIONS);
  if (!clang_options_read(build->options, &c->options, why, sizeof why))
    return tool_fail(&c->reporter, "%s", why);
  tool_blame(&c->reporter, OPENCL_EXTENSIONS);
  if (!check_extensions(c))
    return false;
  tool_blame(&c->reporter, OPENCL_STANDARD);
  if (!check_joined(c, "-cl-std=", WORDS(build->standard)))
    return false;
  tool_blame(&c->reporter, OPENCL_WORDS);
  if (!check_joined(c, "-D", build->defines) || !check_joined(c, "-I", build->includes))
    return false;
  tool_blame(&c->reporter, OPENCL_SOURCE);
  return true;
}

bool opencl_uniform_groups(const struct opencl_build *build) {
  struct clang_options options;
  char why[OPENCL_WHY];
  const bool good = clang_options_read(build->options, &options, why, sizeof why);
  const bool is_1 = options.standard ? options.is_1 : build->standard && clang_options_is_1(build->standard);
  clang_options_free(&options);
  return good && (is_1 || options.uniform);
}

bool opencl_is_unoptimized(const struct opencl_build *build) {
  struct clang_options options;
  char why[OPENCL_WHY];
  const bool good = clang_options_read(build->options, &options, why, sizeof why);
  const bool unoptimized = options.unoptimized;
  clang_options_free(&options);
  return good && unoptimized;
}

bool opencl_option_good(const char *option, const char *value, char *text, size_t size) {
  struct clang_options options;
  struct words words = {0};
  words_add_joined(&words, option, value);
  /* An option without its value must not take the next word as its value. */
  words_add_list(&words, *value ? NULL : WORDS(""));
  const bool good = clang_options_read(words.word, &options, text, size);
  clang_options_free(&options);
  words_free(&words);
  return good;
}

bool opencl_options_each(const char *const *words, void (*say)(void *self, const char *word), void *self, char *text,
                         size_t size) {
  struct clang_options options;
  const bool good = clang_options_read(words, &options, text, size);
  for (size_t i = 0; good && i < options.words.count; i++)
    say(self, options.words.word[i]);
  clang_options_free(&options);
  return good;
}

const char *opencl_option_path(const char *word, const char **option) { return clang_options_path(word, option); }

bool opencl_compile(const char *path, const struct opencl_build *build, uint8_t **spirv, size_t *size,
                    struct isa_error *error) {
  struct compilation *c = need(1, sizeof *c);
  *c = (struct compilation){.path = path, .build = build, .tools = tools_find(build->tools)};
  c->reporter =
      (struct reporter){path, build->in_memory, c->folder, error, build->blamed, build->reads, build->say, build->self};
  heap_hold(remove_folder, c);
  *spirv = NULL;
  *size = 0;
  bool good = check_build(c);
  c->prelude = good ? prelude_text(build->extensions) : NULL;
  if (good && !build->in_memory && access(path, R_OK) != 0)
    good = tool_fail(&c->reporter, "%s", text_errno(errno));
  good = good && make_folder(c) && make_spirv(c, spirv, size);
  if (!good && c->options.standard && build->blamed && *build->blamed == OPENCL_STANDARD)
    tool_blame(&c->reporter, OPENCL_OPTIONS); /* an option has set the standard */
  heap_release(c);
  remove_folder(c);
  clang_options_free(&c->options);
  free(c->prelude);
  free(c);
  return good;
}
