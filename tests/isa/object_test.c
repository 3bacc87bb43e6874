/* Object files: what is written reads back, and invalid files are refused. */
#include "isa/asm/asm.h"
#include "isa/ops.h"
#include "isa/pipe.h"
#include "isa/rows.h"
#include "tests/ct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CT_FREES(struct isa_program, isa_program_free)

static const char source[] =
    ".const table f32 1.0, 2.5\n.variable seen u32 7\n.variable sum f64 0.5\n"
    ".kernel first\n.arg a global\n.arg n u32\n.lds tile 256\n.private 16\n"
    ".reqd_local 32, 2\n.reg i, e\n.reg64 p\n.pred t\n"
    "        ld.arg.b64 p, a\n"
    "loop:   add.i32 i, i, 1\n"
    "        setp.lt.u32 t, i, 10\n"
    "@t      bra loop\n"
    "        copy.to_lds e, [tile], [p], 16, size=4\n"
    "        wait e\n"
    "        exit\n"
    ".kernel second\n.registers 50\n.private 64\n.spilled 5\nmov.b64 r0, sum\n@!p3 exit\nexit\n";

static struct isa_program *assemble(void) {
  struct isa_error error = {""};
  struct isa_program *program = isa_assemble(source, strlen(source), "object.wws", &error);
  EXPECT_STREQ(error.text, "");
  return program;
}

TEST(object, a_written_object_reads_back_the_same) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  struct isa_error error = {""};
  ASSERT_TRUE(program != NULL);
  bytes = isa_encode(program, &size);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(bytes, size, "x.wwo", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(again != NULL);
  EXPECT_STREQ(again->file, "object.wws");
  EXPECT_EQ(again->count, program->count);
  EXPECT_EQ(memcmp(again->code, program->code, program->count * sizeof *program->code), 0);
  EXPECT_EQ(memcmp(again->info, program->info, program->count * sizeof *program->info), 0);
  EXPECT_EQ(memcmp(again->line, program->line, program->count * sizeof *program->line), 0);
  EXPECT_EQ(memcmp(again->column, program->column, program->count * sizeof *program->column), 0);
  EXPECT_EQ(again->stack_entries, program->stack_entries);
  EXPECT_EQ(again->constant_bytes, 8);
  EXPECT_STREQ(again->sources[0].text[11], ".pred t");
  const struct isa_kernel *first = isa_find_kernel(again, "first"), *second = isa_find_kernel(again, "second");
  ASSERT_TRUE(first && second && !isa_find_kernel(again, "third"));
  EXPECT_EQ(first->lds_bytes, 256);
  EXPECT_EQ(first->lds_count, 1);
  EXPECT_STREQ(first->lds[0].name, "tile");
  EXPECT_TRUE(first->lds[0].offset == 0 && first->lds[0].bytes == 256 && second->lds_count == 0);
  EXPECT_EQ(first->private_bytes, 16);
  EXPECT_EQ(first->required_local[0], 32);
  EXPECT_EQ(first->required_local[2], 1);
  EXPECT_STREQ(first->args[1].name, "n");
  EXPECT_EQ(first->args[1].offset, 8);
  EXPECT_EQ(first->arg_bytes, 12);
  EXPECT_EQ(second->registers, 50);
  EXPECT_EQ(second->entry, first->end);
  EXPECT_EQ(second->spilled, 5);
  EXPECT_EQ(again->variable_bytes, 16);
  EXPECT_EQ(again->variables[0], 7);
  EXPECT_EQ(again->code[second->entry].imm, ISA_VARIABLE_BASE + 8);
}

static uint64_t columns(const struct isa_program *program) {
  uint64_t all = 0;
  for (uint32_t pc = 0; pc < program->count; pc++)
    all = 100 * all + program->column[pc];
  return all;
}

TEST(object, a_column_is_where_an_instruction_starts_including_its_guard) {
  static const char text[] = ".kernel k\n.pred t\nexit\n  exit\na: b:  exit\n\t@t exit\n @!t   exit\nexit";
  struct isa_error error;
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, strlen(text), "k.wws", &error);
  ASSERT_TRUE(program != NULL);
  EXPECT_EQ(columns(program), 10308020201);
}

TEST(object, a_column_beyond_the_largest_stored_one_is_unknown) {
  enum { BLANKS = 65534 };
  ct_freed(ct_free) char *text = malloc(BLANKS + 64);
  for (int more = 0; more < 2; more++) {
    struct isa_error error;
    const int size = sprintf(text, ".kernel k\n%*sexit\n", BLANKS + more, "");
    ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, (size_t)size, "k.wws", &error);
    ASSERT_TRUE(program != NULL);
    EXPECT_EQ(program->column[0], more ? 0 : 65535);
  }
}

/* Written by version 2: .kernel k, .arg n u32, .lds tile 8, ld.arg.b32 x, n, exit. */
static const uint8_t version_2[] = {
    0x57, 0x57, 0x4f, 0x02, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x76, 0x32, 0x2e, 0x77, 0x77, 0x73, 0x01, 0x00, 0x00, 0x00,
    0x6b, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x6e, 0x03, 0x00, 0x00, 0x00, 0x75, 0x33, 0x32,
    0x02, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf5, 0x01, 0x00, 0x00, 0x00, 0xff, 0xff,
    0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0x01, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06,
    0x00, 0x00, 0x00, 0x76, 0x32, 0x2e, 0x77, 0x77, 0x73, 0x06, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x2e, 0x6b,
    0x65, 0x72, 0x6e, 0x65, 0x6c, 0x20, 0x6b, 0x0a, 0x00, 0x00, 0x00, 0x2e, 0x61, 0x72, 0x67, 0x20, 0x6e, 0x20, 0x75,
    0x33, 0x32, 0x0b, 0x00, 0x00, 0x00, 0x2e, 0x6c, 0x64, 0x73, 0x20, 0x74, 0x69, 0x6c, 0x65, 0x20, 0x38, 0x06, 0x00,
    0x00, 0x00, 0x2e, 0x72, 0x65, 0x67, 0x20, 0x78, 0x10, 0x00, 0x00, 0x00, 0x20, 0x6c, 0x64, 0x2e, 0x61, 0x72, 0x67,
    0x2e, 0x62, 0x33, 0x32, 0x20, 0x78, 0x2c, 0x20, 0x6e, 0x05, 0x00, 0x00, 0x00, 0x20, 0x65, 0x78, 0x69, 0x74,
};

TEST(object, the_previous_version_is_read_without_columns_and_lds_names) {
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_decode(version_2, sizeof version_2, "x.wwo", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(program != NULL);
  EXPECT_EQ(program->count, 2);
  EXPECT_EQ(program->kernels[0].lds_bytes, 8);
  EXPECT_EQ(program->kernels[0].lds_count, 0);
  EXPECT_EQ(program->line[1], 6);
  EXPECT_EQ(columns(program), 0);
  EXPECT_STREQ(isa_source_text(program, 0), " ld.arg.b32 x, n");
}

TEST(object, lds_variables_survive_disassembly_wherever_they_lie) {
  static const char text[] = ".kernel k\n.arg n u32\n.lds a 3\n.lds b 5 align 1\n.lds c 4 align 4\n.lds d 16\n"
                             ".lds _ 100\n.scratch 7 align 4\n.lds e 64 align 256\n.lds f 0\n.lds _ 9 align 1\nexit\n";
  static const uint32_t offsets[] = {0, 3, 8, 16, 256, 320};
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, strlen(text), "k.wws", &error);
  ASSERT_TRUE(program != NULL);
  ct_freed(ct_free) char *listing = isa_disassemble(program);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_assemble(listing, strlen(listing), "k.wws", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(again != NULL);
  const struct isa_kernel *one = &program->kernels[0], *two = &again->kernels[0];
  EXPECT_EQ(two->lds_bytes, 329);
  EXPECT_TRUE(one->scratch == 132 && one->scratch_bytes == 7);
  EXPECT_TRUE(two->scratch == 132 && two->scratch_bytes == 7);
  ASSERT_TRUE(one->lds_count == 6 && two->lds_count == 6);
  for (size_t i = 0; i < 6; i++) {
    EXPECT_STREQ(two->lds[i].name, one->lds[i].name);
    EXPECT_EQ(one->lds[i].offset, offsets[i]);
    EXPECT_TRUE(two->lds[i].offset == one->lds[i].offset && two->lds[i].bytes == one->lds[i].bytes);
  }
}

static void expect_bad_lds(uint32_t offset, uint32_t bytes, const char *name, const char *message) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  struct isa_error error = {""};
  ASSERT_TRUE(program != NULL);
  struct isa_kernel *kernel = &program->kernels[0];
  struct isa_lds_variable *lds = realloc(kernel->lds, 2 * sizeof *lds);
  ASSERT_TRUE(lds != NULL);
  kernel->lds = lds;
  lds[0].bytes = 128;
  lds[kernel->lds_count++] = (struct isa_lds_variable){strdup(name), offset, bytes};
  EXPECT_EQ(isa_validate(program, &error), !*message);
  EXPECT_STREQ(error.text, message);
}

TEST(object, lds_variables_are_consecutive_and_have_unique_names) {
  static const char outside[] = "object.wws: LDS variable 'more' is outside the LDS, or not after the one before";
  expect_bad_lds(128, 128, "more", "");
  expect_bad_lds(256, 0, "more", "");
  expect_bad_lds(127, 1, "more", outside);
  expect_bad_lds(128, 129, "more", outside);
  expect_bad_lds(257, 0, "more", outside);
  expect_bad_lds(UINT32_MAX, 2, "more", outside);
  expect_bad_lds(128, 1, "tile", "object.wws: LDS variable or argument 'tile' is already defined");
  expect_bad_lds(128, 1, "n", "object.wws: LDS variable or argument 'n' is already defined");
  expect_bad_lds(128, 1, "r1", "object.wws: LDS variable or argument 1 has an illegal name");
}

/* The object keeps the scratch area if `good`; otherwise isa_validate() refuses it. */
static void expect_scratch(uint32_t offset, uint32_t bytes, bool good) {
  static const char message[] = "object.wws: kernel 'first' has its scratch outside the LDS, or on a variable";
  struct isa_program *program = assemble(), *again = NULL;
  struct isa_error error = {""};
  ct_freed(ct_free) uint8_t *object = NULL;
  size_t size = 0;
  ASSERT_TRUE(program != NULL);
  program->kernels[0].lds[0].bytes = 128;
  program->kernels[0].lds[0].offset = 64;
  program->kernels[0].scratch = offset;
  program->kernels[0].scratch_bytes = bytes;
  ct_note("%u bytes at %u", bytes, offset);
  object = isa_encode(program, &size);
  again = isa_decode(object, size, "object.wws", &error);
  EXPECT_STREQ(error.text, good ? "" : message);
  EXPECT_EQ(again != NULL, good);
  if (again)
    EXPECT_TRUE(again->kernels[0].scratch == offset && again->kernels[0].scratch_bytes == bytes);
  isa_program_free(again);
  isa_program_free(program);
}

TEST(object, the_scratch_area_is_in_the_lds_and_overlaps_no_variable) {
  expect_scratch(0, 0, true);
  expect_scratch(0, 64, true);
  expect_scratch(192, 64, true);
  expect_scratch(0, 65, false);
  expect_scratch(191, 1, false);
  expect_scratch(100, 4, false);
  expect_scratch(192, 65, false);
  expect_scratch(64, 0, false);
  expect_scratch(UINT32_MAX, 2, false);
}

/* A program of two files; only the name of the second is known. */
static bool add_source(struct isa_program *program) {
  struct isa_source *sources = realloc(program->sources, 2 * sizeof *sources);
  if (!sources)
    return false;
  program->sources = sources;
  sources[1] = (struct isa_source){.name = strdup("lib.h")};
  program->source_count = 2;
  program->source[1] = 1;
  program->line[2] = 0;
  program->line[3] = 1000;
  return true;
}

TEST(object, an_instruction_keeps_its_source_file) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  struct isa_error error = {""};
  ASSERT_TRUE(program && add_source(program));
  bytes = isa_encode(program, &size);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(bytes, size, "x.wwo", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(again != NULL);
  EXPECT_STREQ(isa_source_name(again, 0), "object.wws");
  EXPECT_STREQ(isa_source_text(again, 0), "        ld.arg.b64 p, a");
  EXPECT_STREQ(isa_source_name(again, 1), "lib.h");
  EXPECT_TRUE(isa_source_text(again, 1) == NULL);
  EXPECT_TRUE(isa_source_name(again, 2) == NULL && isa_source_text(again, 2) == NULL); /* no line */
  EXPECT_TRUE(isa_source_text(again, 3) == NULL);                                      /* after the end of the file */
  EXPECT_TRUE(isa_source_name(again, again->count) == NULL);
  again->source[1] = 2;
  EXPECT_FALSE(isa_validate(again, &error));
  EXPECT_STREQ(error.text, "object.wws: instruction 1 has an unknown source file");
}

TEST(object, a_program_without_sources_is_valid) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  struct isa_error error = {""};
  ASSERT_TRUE(program != NULL);
  const uint32_t count = program->source_count;
  program->source_count = 0;
  bytes = isa_encode(program, &size);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(bytes, size, "x.wwo", &error);
  ASSERT_TRUE(again != NULL);
  EXPECT_TRUE(isa_source_name(again, 0) == NULL && isa_source_text(again, 0) == NULL);
  program->source_count = count;
}

TEST(object, spilled_words_are_in_private_memory) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  struct isa_error error;
  ASSERT_TRUE(program != NULL);
  program->kernels[1].spilled = 16;
  EXPECT_TRUE(isa_validate(program, &error));
  program->kernels[1].spilled = 17;
  EXPECT_FALSE(isa_validate(program, &error));
  EXPECT_STREQ(error.text, "object.wws: kernel 'second' spills more registers than its private memory holds");
}

TEST(object, variables_and_spilled_words_survive_disassembly) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  struct isa_error error = {""};
  ASSERT_TRUE(program != NULL);
  ct_freed(ct_free) char *text = isa_disassemble(program);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_assemble(text, strlen(text), "again.wws", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(again != NULL);
  EXPECT_EQ(again->variable_bytes, program->variable_bytes);
  EXPECT_EQ(memcmp(again->variables, program->variables, program->variable_bytes), 0);
  EXPECT_EQ(again->kernels[1].spilled, 5);
}

static const char channels[] = ".variable seen u32 7\n.channel in 4 8\n.channel row[5] 12 3\n.channel out 1 100\n"
                               ".kernel k\n.autorun 3, 2, 1\n.reg64 p\n mov.b64 p, out\n"
                               "again: pipe.num p.lo, [p]\n bra again\n";

static void expect_channels(const struct isa_program *program) {
  static const uint32_t wanted[3][5] = {{4, 8, 1, 128, 256}, {12, 3, 5, 384, 384}, {1, 100, 1, 2304, 256}};
  EXPECT_EQ(program->channel_count, 3);
  for (size_t i = 0; i < program->channel_count; i++) {
    const struct isa_channel *channel = &program->channels[i];
    EXPECT_EQ(channel->packet_size, wanted[i][0]);
    EXPECT_EQ(channel->max_packets, wanted[i][1]);
    EXPECT_EQ(channel->count, wanted[i][2]);
    EXPECT_EQ(channel->offset, wanted[i][3]);
    EXPECT_EQ(channel->pitch, wanted[i][4]);
  }
  EXPECT_STREQ(program->channels[1].name, "row");
  EXPECT_EQ(isa_variable_room(program), 2560);
  EXPECT_EQ(program->code[0].imm, ISA_VARIABLE_BASE + 2304);
  EXPECT_EQ(program->kernels[0].autorun[0], 3);
  EXPECT_EQ(program->kernels[0].autorun[1], 2);
}

TEST(object, channels_survive_the_object_file_and_disassembly) {
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(channels, strlen(channels), "c.wws", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(program != NULL);
  expect_channels(program);
  size_t size = 0;
  ct_freed(ct_free) uint8_t *bytes = isa_encode(program, &size);
  ct_freed(isa_program_free_at) struct isa_program *decoded = isa_decode(bytes, size, "c.wwo", &error);
  ct_freed(ct_free) char *text = isa_disassemble(program);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_assemble(text, strlen(text), "again.wws", &error);
  EXPECT_STREQ(error.text, "");
  if (decoded)
    expect_channels(decoded);
  if (again)
    expect_channels(again);
  for (size_t cut = 0; cut < size; cut++)
    EXPECT_TRUE(isa_decode(bytes, cut, "c.wwo", &error) == NULL);
}

TEST(object, channels_whose_names_are_taken_are_renamed_in_assembly) {
  static const char taken[] =
      ".channel c 4 8\n.channel d 4 8\n.kernel k\n.reg64 p\n mov.b64 p, d\n pipe.num p.lo, [p]\n exit\n";
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(taken, strlen(taken), "c.wws", &error);
  ASSERT_TRUE(program != NULL);
  free(program->channels[0].name);
  program->channels[0].name = strdup("d_1");
  program->kernels[0].args = calloc(1, sizeof *program->kernels[0].args);
  program->kernels[0].args[0] =
      (struct isa_arg){.name = strdup("d"), .type = strdup("global"), .kind = ISA_ARG_GLOBAL, .bytes = 8};
  program->kernels[0].arg_count = 1;
  program->kernels[0].arg_bytes = 8;
  ct_freed(ct_free) char *text = isa_disassemble(program);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_assemble(text, strlen(text), "again.wws", &error);
  EXPECT_STREQ(error.text, "");
  if (again) {
    EXPECT_STREQ(again->channels[0].name, "d_1");
    EXPECT_STREQ(again->channels[1].name, "d_1_1");
    EXPECT_EQ(again->code[0].imm, program->code[0].imm);
  }
}

TEST(object, channels_are_pipes_with_the_highest_numbers_after_the_variables) {
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(channels, strlen(channels), "c.wws", &error);
  ASSERT_TRUE(program != NULL);
  struct isa_pipe pipes[7];
  ct_freed(ct_free) uint8_t *variables = calloc(isa_variable_room(program), 1);
  EXPECT_EQ(isa_channel_pipes(program), 7);
  ASSERT_TRUE(variables != NULL);
  isa_channels_init(program, variables, pipes);
  for (uint32_t i = 0; i < 7; i++) {
    EXPECT_EQ(pipes[i].number, ISA_MOST_PIPES - i);
    EXPECT_TRUE(pipes[i].data == variables + (pipes[i].base - ISA_VARIABLE_BASE));
    EXPECT_TRUE(isa_pipe_is_channel(&pipes[i]));
  }
  EXPECT_STREQ(pipes[3].name, "row[2]");
  EXPECT_EQ(pipes[3].base, ISA_VARIABLE_BASE + 384 + 2 * 384);
  EXPECT_STREQ(pipes[6].name, "out");
  for (uint32_t i = 0; i < 7; i++)
    isa_pipe_free(&pipes[i]);
}

TEST(object, channels_are_validated) {
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(channels, strlen(channels), "c.wws", &error);
  ASSERT_TRUE(program != NULL);
  program->channels[1].count = 125;
  EXPECT_FALSE(isa_validate(program, &error));
  EXPECT_STREQ(error.text, "c.wws: the program has more than 126 channels, or more than 256 MiB of them");
  program->channels[1].count = 0;
  EXPECT_FALSE(isa_validate(program, &error));
  EXPECT_STREQ(error.text, "c.wws: channel 1 holds 3 packets in 0 pipes; legal: 1 to 16777215 in at least one");
  program->channels[1].count = 5;
  program->kernels[0].autorun[1] = 0;
  EXPECT_FALSE(isa_validate(program, &error));
  EXPECT_STREQ(error.text, "c.wws: autorun kernel 'k' has 3 x 0 x 1 work-groups; legal: 1 to 65536");
}

TEST(object, a_truncated_object_is_refused) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  ASSERT_TRUE(program != NULL);
  bytes = isa_encode(program, &size);
  for (size_t length = 0; length < size; length++) {
    struct isa_error error;
    uint8_t *exact = malloc(length + 1); /* so that a sanitizer detects a read beyond it */
    memcpy(exact, bytes, length);
    ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(exact, length, "x.wwo", &error);
    EXPECT_TRUE(again == NULL);
    free(exact);
  }
}

TEST(object, flipped_bits_are_refused_or_give_a_valid_program) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  uint64_t seed = 9;
  unsigned accepted = 0, refused = 0;
  ASSERT_TRUE(program != NULL);
  bytes = isa_encode(program, &size);
  for (int round = 0; round < 20000; round++) {
    ct_freed(ct_free) uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    for (uint64_t flips = 1 + ct_random(&seed) % 3; flips--;) {
      const uint8_t bit = (uint8_t)(1u << ct_random(&seed) % 8);
      copy[ct_random(&seed) % size] ^= bit;
    }
    struct isa_error error;
    ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(copy, size, "x.wwo", &error);
    accepted += again != NULL;
    refused += again == NULL;
    if (again) {
      EXPECT_TRUE(isa_validate(again, &error));
      ct_freed(ct_free) char *text = isa_disassemble(again);
      EXPECT_TRUE(text != NULL);
    }
  }
  EXPECT_GE(accepted, 1000); /* file names and source text may be anything */
  EXPECT_GE(refused, 1000);
}

TEST(object, bytes_after_the_end_are_refused) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  struct isa_error error;
  ASSERT_TRUE(program != NULL);
  bytes = isa_encode(program, &size);
  ct_freed(ct_free) uint8_t *longer = calloc(size + 1, 1);
  memcpy(longer, bytes, size);
  EXPECT_TRUE(isa_decode(longer, size + 1, "x.wwo", &error) == NULL);
  EXPECT_STREQ(error.text, "x.wwo: the object file is cut off, or a count in it is impossible");
}

TEST(object, an_instruction_has_at_most_one_immediate) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  struct isa_error error;
  ASSERT_TRUE(program != NULL);
  program->code[1] = (struct isa_inst){.op = ISA_ADD_32, .flags = 3, .d = 0, .a = 255, .b = 255, .c = 255, .imm = 1};
  EXPECT_FALSE(isa_validate(program, &error));
  EXPECT_STREQ(error.text, "object.wws: instruction 1, add.i32, has an operand that the kernel does not have");
}

/* A join that is not the immediate post-dominator could make the stack grow, so it must be refused. */
TEST(object, a_forged_join_is_refused) {
  ct_freed(isa_program_free_at) struct isa_program *program = assemble();
  struct isa_error error;
  ASSERT_TRUE(program != NULL);
  program->code[3].imm = (program->code[3].imm & UINT32_MAX) | UINT64_C(5) << 32;
  EXPECT_FALSE(isa_validate(program, &error));
  EXPECT_STREQ(error.text, "object.wws: instruction 3, bra, does not join where its sides meet");
}

TEST(object, other_files_are_not_taken_for_objects) {
  struct isa_error error;
  EXPECT_TRUE(isa_decode((const uint8_t *)"hello", 5, "x.wwo", &error) == NULL);
  EXPECT_STREQ(error.text, "x.wwo: not an object file of this version; one starts with 'WWO' 2, 3 or 4");
  EXPECT_TRUE(isa_decode(NULL, 0, "x.wwo", &error) == NULL);
}

/* 8 bytes each, from 2 letters in the source. */
TEST(object, variables_may_make_up_most_of_the_file) {
  struct isa_error error = {""};
  char text[5000] = ".variable all u64 1";
  while (strlen(text) < 4000)
    strcat(text, ",1");
  strcat(text, "\n.kernel k\nexit\n");
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, strlen(text), "object.wws", &error);
  ct_freed(ct_free) uint8_t *bytes = NULL;
  size_t size = 0;
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(program != NULL);
  bytes = isa_encode(program, &size);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(bytes, size, "x.wwo", &error);
  EXPECT_STREQ(error.text, "");
  EXPECT_EQ(again ? again->variable_bytes : 0, program->variable_bytes);
}
