/* From OpenCL C to SPIR-V with clang and llvm-spirv, as programs, in a folder of our own that is gone afterwards.
 *
 *     kernel.cl ──► text ──hash──► cache? ──yes──► SPIR-V
 *                                    │no
 *                                    └──► clang ──► bitcode ──llvm-spirv──► SPIR-V, kept
 *
 * The text is the source as it stands, or, when that includes others, what clang -E makes of it: all that included
 * files have to say. A header of ours goes before the program with what clang's own lacks: the asynchronous copies of
 * cl_khr_extended_async_copies and the clocks of cl_khr_kernel_clock. The copies have names of their own there, because
 * llvm-spirv takes any function whose name starts with async_work_group_copy for the plain copy, and crashes. */
#include <errno.h>
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
#include "opencl/clang/llvm_text.h"
#include "opencl/clang/process.h"
#include "opencl/clang/tool_errors.h"
#include "opencl/clang/words.h"
#include "sim/core/need.h"

const char *const opencl_route_names[OPENCL_ROUTES] = {"ssa", "O0", "O2"};

/* Part of every key: another number, and all that was kept counts no more. */
static const char format_version[] = "warpwait opencl 5";

/* What the translator may use beyond plain SPIR-V: atomics on floats, rotations, products of groups, shuffles. */
#define EXTENSIONS                                                                                                     \
  "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_KHR_subgroup_rotate,"        \
  "+SPV_KHR_uniform_group_instructions,+SPV_INTEL_subgroups"

enum { PATH_BYTES = 1024, FILE_BYTES = 256 << 20 };

/* What clang says of spir64 and this machine has not, and the version that it leaves to the driver. */
#define WITHOUT(name) "#undef " #name "\n"
static const char prelude[] = "#ifndef __OPENCL_VERSION__\n"
                              "#define __OPENCL_VERSION__ 300\n"
                              "#endif\n"
    /* clang-format off */
    WITHOUT(__IMAGE_SUPPORT__) WITHOUT(__opencl_c_images) WITHOUT(__opencl_c_read_write_images)
    WITHOUT(__opencl_c_3d_image_writes) WITHOUT(cl_khr_3d_image_writes) WITHOUT(cl_khr_depth_images)
    WITHOUT(cl_khr_gl_msaa_sharing) WITHOUT(cl_khr_mipmap_image) WITHOUT(cl_khr_mipmap_image_writes)
    WITHOUT(cl_khr_srgb_image_writes) WITHOUT(__opencl_c_device_enqueue)
    WITHOUT(cl_khr_integer_dot_product) WITHOUT(__opencl_c_integer_dot_product_input_4x8bit)
    WITHOUT(__opencl_c_integer_dot_product_input_4x8bit_packed) WITHOUT(cl_arm_integer_dot_product_int8)
    WITHOUT(cl_arm_integer_dot_product_accumulate_int8) WITHOUT(cl_arm_integer_dot_product_accumulate_int16)
    WITHOUT(cl_arm_integer_dot_product_accumulate_saturate_int8) WITHOUT(cl_amd_media_ops) WITHOUT(cl_amd_media_ops2)
    WITHOUT(cl_intel_device_side_avc_motion_estimation) WITHOUT(cl_intel_subgroups) WITHOUT(cl_intel_subgroups_short)
    /* clang-format on */
    "#define cl_khr_extended_async_copies 1\n"
    "#define cl_khr_async_work_group_copy_fence 1\n"
    "#define async_work_group_copy_2D2D __ocl_ext_copy_2D2D\n"
    "#define async_work_group_copy_3D3D __ocl_ext_copy_3D3D\n"
    "#define async_work_group_copy_fence __ocl_ext_copy_fence\n"
    "#define __OCL_EXT __attribute__((overloadable, convergent))\n"
    "event_t __OCL_EXT __ocl_ext_copy_2D2D(__local void *, size_t, const __global void *, size_t, size_t, size_t,\n"
    "                                      size_t, size_t, size_t, event_t);\n"
    "event_t __OCL_EXT __ocl_ext_copy_2D2D(__global void *, size_t, const __local void *, size_t, size_t, size_t,\n"
    "                                      size_t, size_t, size_t, event_t);\n"
    "event_t __OCL_EXT __ocl_ext_copy_3D3D(__local void *, size_t, const __global void *, size_t, size_t, size_t,\n"
    "                                      size_t, size_t, size_t, size_t, size_t, size_t, event_t);\n"
    "event_t __OCL_EXT __ocl_ext_copy_3D3D(__global void *, size_t, const __local void *, size_t, size_t, size_t,\n"
    "                                      size_t, size_t, size_t, size_t, size_t, size_t, event_t);\n"
    "void __OCL_EXT __ocl_ext_copy_fence(cl_mem_fence_flags);\n"
    "#undef __OCL_EXT\n"
    "#define cl_khr_kernel_clock 1\n"
    "#define __opencl_c_kernel_clock_scope_device 1\n"
    "#define __opencl_c_kernel_clock_scope_work_group 1\n"
    "#define __opencl_c_kernel_clock_scope_sub_group 1\n"
    "#define __OCL_EXT __attribute__((overloadable))\n"
    "ulong __OCL_EXT clock_read_device(void);\n"
    "ulong __OCL_EXT clock_read_work_group(void);\n"
    "ulong __OCL_EXT clock_read_sub_group(void);\n"
    "uint2 __OCL_EXT clock_read_hilo_device(void);\n"
    "uint2 __OCL_EXT clock_read_hilo_work_group(void);\n"
    "uint2 __OCL_EXT clock_read_hilo_sub_group(void);\n"
    "#undef __OCL_EXT\n";

/* Files in the temporary folder. */
enum file { FILE_PRELUDE, FILE_TEXT, FILE_BITCODE, FILE_ASSEMBLY, FILE_REWRITTEN, FILE_SPIRV, FILES };
static const char *const file_names[FILES] = {"warpwait.h", "text.cl",      "program.bc",
                                              "program.ll", "rewritten.ll", "program.spv"};

struct compilation {
  const char *path; /* as the user gave it */
  const struct opencl_build *build;
  struct teller teller;
  struct clang_options options;
  const char *clang, *translator;
  char folder[PATH_BYTES], file[FILES][PATH_BYTES + 16];
};

/* ---- command lines ------------------------------------------------------------------------------- */

/* What all runs over the source have in common. llvm-spirv goes down on inline assembly; clang refuses it by line. Our
 * words come last: they win. A format of printf without meaning is an error, unless the user says otherwise: it would
 * print other memory. */
static void add_source(const struct compilation *c, struct words *words) {
  const struct opencl_build *build = c->build;
  words_add_list(words,
                 WORDS(c->clang, "-x", "cl", "-Werror=format-invalid-specifier", "-Werror=format-insufficient-args"));
  if (!c->options.standard)
    words_add_joined(words, "-cl-std=", build->standard ? build->standard : "CL2.0");
  words_add_list(words, build->options);
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

/* clang takes a path that starts so for something else. */
static void add_path(struct words *words, const char *path) {
  if (*path == '-' || *path == '@')
    words_add_joined(words, "./", path);
  else
    words_add(words, path);
}

/* ---- running ------------------------------------------------------------------------------------- */

static bool run_clang(const struct compilation *c, const struct words *words, bool loud) {
  struct process_end end;
  process_run(words->word, &end);
  if (loud && !end.error)
    fputs(end.text, stderr);
  bool good = process_good(&end) || tool_failed(&c->teller, c->clang, &end, true);
  free(end.text);
  return good;
}

static bool run_translator(const struct compilation *c, enum file input, bool to_ssa) {
  struct process_end end;
  const char *const words[] = {
      c->translator, c->file[input], "-o", c->file[FILE_SPIRV], EXTENSIONS, to_ssa ? "--spirv-mem2reg" : NULL, NULL};
  process_run(words, &end);
  bool good = process_good(&end) || tool_failed(&c->teller, c->translator, &end, false);
  free(end.text);
  return good;
}

/* ---- files --------------------------------------------------------------------------------------- */

static bool read_file(const char *path, char **data, size_t *size) {
  FILE *file = fopen(path, "rbe");
  struct stat status;
  bool good = file && fstat(fileno(file), &status) == 0;
  if (good && status.st_size > FILE_BYTES) {
    errno = EFBIG;
    good = false;
  }
  if (good) {
    *size = (size_t)status.st_size;
    *data = need(*size + 1, 1);
    good = fread(*data, 1, *size, file) == *size;
    if (!good)
      free(*data);
  }
  if (file)
    fclose(file);
  return good;
}

static bool write_file(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wbe");
  bool good = file && fwrite(text, 1, size, file) == size;
  return file && fclose(file) == 0 && good;
}

/* Extensions are enabled in the header. One that clang has not is asked for by name: clang itself then says so. */
static bool write_prelude(const struct compilation *c) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return false;
  fputs(prelude, out);
  for (const char *const *name = c->build->extensions; name && *name; name++)
    if (!strstr(prelude, *name)) /* the header's own need no pragma, and clang does not know them */
      fprintf(out, "#ifndef %s\n#error no extension '%s'\n#endif\n#pragma OPENCL EXTENSION %s : enable\n", *name, *name,
              *name);
  bool good = fclose(out) == 0 && write_file(c->file[FILE_PRELUDE], text, size);
  free(text);
  return good;
}

static bool make_folder(struct compilation *c) {
  const char *base = getenv("TMPDIR");
  int used = snprintf(c->folder, sizeof c->folder, "%s/warpwait-XXXXXX", base && *base ? base : "/tmp");
  if (used >= (int)sizeof c->folder || !mkdtemp(c->folder)) {
    *c->folder = '\0';
    return tool_fail(&c->teller, "no temporary folder in %.200s: %s", base && *base ? base : "/tmp", strerror(errno));
  }
  for (size_t i = 0; i < FILES; i++)
    snprintf(c->file[i], sizeof c->file[i], "%s/%s", c->folder, file_names[i]);
  return write_prelude(c) ? true : tool_fail(&c->teller, "%.200s cannot be written: %s", c->folder, strerror(errno));
}

/* All files there are ours: the tools write where they are told to. */
static void remove_folder(const struct compilation *c) {
  for (size_t i = 0; i < FILES && *c->folder; i++)
    unlink(c->file[i]);
  if (*c->folder)
    rmdir(c->folder);
}

/* ---- the key ------------------------------------------------------------------------------------- */

static bool preprocess(const struct compilation *c) {
  struct words words = {0};
  add_source(c, &words);
  words_add_list(&words, WORDS("-w", "-E", "-o", c->file[FILE_TEXT]));
  add_path(&words, c->path);
  bool good = run_clang(c, &words, false);
  words_free(&words);
  return good;
}

/* The temporary folder has another name each time, and stands in the text's line markers. */
static void hide_folder(const struct compilation *c, char *text, size_t size) {
  size_t length = strlen(c->folder);
  for (char *at = text; (at = memmem(at, size - (size_t)(at - text), c->folder, length)); at += length)
    memset(at, '-', length);
}

/* What clang will see: the source itself, when that is all, which saves a run of clang; else what -E makes of it. */
static bool read_text(const struct compilation *c, char **text, size_t *size) {
  if (!read_file(c->path, text, size))
    return tool_fail(&c->teller, "%s", strerror(errno));
  if (key_is_whole(*text, *size, c->build->options))
    return true;
  free(*text);
  if (!preprocess(c))
    return false;
  if (!read_file(c->file[FILE_TEXT], text, size))
    return tool_fail(&c->teller, "%.200s cannot be read: %s", c->file[FILE_TEXT], strerror(errno));
  hide_folder(c, *text, *size);
  return true;
}

static void add_part(struct cache_part *parts, size_t *count, const char *text) {
  parts[(*count)++] = (struct cache_part){text, strlen(text)};
}

static bool make_name(const struct compilation *c, char name[CACHE_NAME]) {
  enum { FIXED = 7 };
  char clang[PATH_MAX + 64], translator[PATH_MAX + 64], *text = NULL;
  size_t size = 0, count = 0;
  if (!read_text(c, &text, &size))
    return false;
  key_tool(c->clang, clang, sizeof clang);
  key_tool(c->translator, translator, sizeof translator);
  struct words words = {0};
  add_source(c, &words);
  struct cache_part *parts = need(words.count + FIXED, sizeof *parts);
  add_part(parts, &count, format_version);
  add_part(parts, &count, prelude);
  add_part(parts, &count, c->path); /* names of files end up in the SPIR-V */
  add_part(parts, &count, clang);
  add_part(parts, &count, translator);
  add_part(parts, &count, opencl_route_names[c->build->route]);
  parts[count++] = (struct cache_part){text, size};
  for (size_t i = 0; i < words.count; i++)
    if (strncmp(words.word[i], c->folder, strlen(c->folder)) != 0)
      add_part(parts, &count, words.word[i]);
  cache_name(parts, count, name);
  free(parts);
  words_free(&words);
  free(text);
  return true;
}

/* ---- the routes ---------------------------------------------------------------------------------- */

/* Which words make which code; the file that clang leaves. */
static const struct route {
  const char *const *words;
  enum file made;
} routes[OPENCL_ROUTES] = {
    [OPENCL_ROUTE_SSA] = {(const char *const[]){"-O1", "-Xclang", "-disable-llvm-passes", "-c", NULL}, FILE_BITCODE},
    [OPENCL_ROUTE_O0] = {(const char *const[]){"-O0", "-c", NULL}, FILE_BITCODE},
    /* optimise() does the rest. */
    [OPENCL_ROUTE_O2] = {(const char *const[]){"-O2", "-Xclang", "-disable-llvm-passes", "-S", NULL}, FILE_ASSEMBLY},
};

/* Debug information that names no folder makes the same file wherever it is made. Names of values are those of
 * arguments, for messages. */
static bool compile(const struct compilation *c) {
  const struct route *route = &routes[c->build->route];
  struct words words = {0};
  add_source(c, &words);
  words_add_list(&words,
                 WORDS("-gline-tables-only", "-fdebug-compilation-dir=.", "-fno-discard-value-names", "-emit-llvm"));
  words_add_list(&words, route->words);
  words_add_list(&words, WORDS("-o", c->file[route->made]));
  add_path(&words, c->path);
  bool good = run_clang(c, &words, c->options.warnings);
  words_free(&words);
  return good;
}

/* FILE_ASSEMBLY, changed, into FILE_REWRITTEN. */
static bool rewrite(const struct compilation *c, char *(*change)(const char *text)) {
  char *text = NULL;
  size_t size = 0;
  if (!read_file(c->file[FILE_ASSEMBLY], &text, &size))
    return tool_fail(&c->teller, "%.200s cannot be read: %s", c->file[FILE_ASSEMBLY], strerror(errno));
  char *changed = change(text);
  free(text);
  bool good = write_file(c->file[FILE_REWRITTEN], changed, strlen(changed));
  free(changed);
  return good ? true : tool_fail(&c->teller, "%.200s cannot be written: %s", c->file[FILE_REWRITTEN], strerror(errno));
}

/* FILE_REWRITTEN through clang again. */
static bool run_on_ir(const struct compilation *c, const char *const *options, enum file made) {
  struct words words = {0};
  words_add_list(&words, WORDS(c->clang, "-x", "ir", "-target", "spir64", "-w", "-fno-discard-value-names",
                               "-fno-crash-diagnostics", "-emit-llvm"));
  words_add_list(&words, options);
  words_add_list(&words, WORDS(c->file[FILE_REWRITTEN], "-o", c->file[made]));
  bool good = run_clang(c, &words, false);
  words_free(&words);
  return good;
}

/* LLVM's passes are a run of their own, over code that tells them which widths of integers there are, and its result
 * loses what llvm-spirv cannot translate. No vectors, copies of loops or tables: a SIMT machine wants none, and
 * llvm-spirv loses tables. No closed forms of loops: they multiply in 33 bits. */
static bool optimise(const struct compilation *c) {
  return rewrite(c, llvm_text_with_widths) &&
         run_on_ir(c,
                   WORDS("-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-fno-jump-tables",
                         "-mllvm", "-replexitval=never", "-S"),
                   FILE_ASSEMBLY) &&
         rewrite(c, llvm_text_for_spirv) &&
         run_on_ir(c, WORDS("-O1", "-Xclang", "-disable-llvm-passes", "-c"), FILE_BITCODE);
}

static bool translate(const struct compilation *c) {
  enum opencl_route route = c->build->route;
  return compile(c) && (route != OPENCL_ROUTE_O2 || optimise(c)) &&
         run_translator(c, FILE_BITCODE, route == OPENCL_ROUTE_SSA);
}

static bool make(const struct compilation *c, uint8_t **spirv, size_t *size) {
  char name[CACHE_NAME], *data = NULL;
  if (!c->build->no_cache && !make_name(c, name))
    return false;
  /* Warnings are clang's to give: someone who asks for them wants it to run. */
  if (!c->build->no_cache && !c->options.warnings && cache_find(name, spirv, size))
    return true;
  if (!translate(c))
    return false;
  if (!read_file(c->file[FILE_SPIRV], &data, size))
    return tool_fail(&c->teller, "%s left nothing", c->translator);
  *spirv = (uint8_t *)data;
  if (!c->build->no_cache)
    cache_keep(name, *spirv, *size);
  return true;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/* Names of extensions go into a header of ours. */
static bool check_extensions(const struct compilation *c) {
  static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (const char *const *name = c->build->extensions; name && *name; name++)
    if (!**name || (*name)[strspn(*name, legal)])
      return tool_fail(&c->teller, "'%.60s' is not the name of an extension, such as cl_khr_fp16", *name);
  return true;
}

static const char *tool(const char *variable, const char *usual) {
  const char *value = getenv(variable);
  return value && *value ? value : usual;
}

bool opencl_options_good(const char *const *options, char *text, size_t size) {
  return clang_options_check(options, &(struct clang_options){0}, text, size);
}

bool opencl_compile(const char *path, const struct opencl_build *build, uint8_t **spirv, size_t *size,
                    struct isa_error *error) {
  struct compilation c = {.path = path,
                          .build = build,
                          .clang = tool("WARPWAIT_CLANG", "clang-15"),
                          .translator = tool("WARPWAIT_LLVM_SPIRV", "llvm-spirv-15")};
  struct process_hold hold;
  c.teller = (struct teller){path, c.folder, error, build->blamed};
  tool_blame(&c.teller, OPENCL_SOURCE);
  char why[200];
  *spirv = NULL;
  *size = 0;
  if (access(path, R_OK) != 0)
    return tool_fail(&c.teller, "%s", strerror(errno));
  if (!clang_options_check(build->options, &c.options, why, sizeof why)) {
    tool_blame(&c.teller, OPENCL_OPTIONS);
    return tool_fail(&c.teller, "%s", why);
  }
  if (!check_extensions(&c)) {
    tool_blame(&c.teller, OPENCL_EXTENSIONS);
    return false;
  }
  process_hold(&hold);
  bool good = make_folder(&c) && make(&c, spirv, size);
  if (!good && c.options.standard && build->blamed && *build->blamed == OPENCL_STANDARD)
    tool_blame(&c.teller, OPENCL_OPTIONS); /* which said it */
  remove_folder(&c);
  process_release(&hold);
  return good;
}
