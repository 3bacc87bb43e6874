/* The message for malformed source: one line with file, line, column, the offending text and a suggestion. */
#include "isa/asm/asm.h"
#include "isa/isa.h"
#include "tests/ct.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

CT_FREES(struct isa_program, isa_program_free)

/* The body starts at line 8 of a kernel that declares some of everything. */
#define BODY(text)                                                                                                     \
  ".kernel k\n.arg src global\n.arg n u32\n.lds tile 64\n.reg i, v, w[4]\n.reg64 p\n.pred done\n" text "\nexit\n"

/* clang-format off */
static const struct {
  const char *source, *message;
} bad[] = {
    {"",
     "k.wws:1:1: the file has no kernel; start one with .kernel NAME"},
    {"; nothing",
     "k.wws:1:1: the file has no kernel; start one with .kernel NAME"},
    {"exit",
     "k.wws:1:1: instruction outside a kernel: 'exit'; start one with .kernel NAME"},
    {".reg a",
     "k.wws:1:1: directive outside a kernel: '.reg'; start one with .kernel NAME"},
    {".kernel",
     "k.wws:1:8: bad kernel name: the end of the line; write .kernel NAME"},
    {".kernel r5\nexit",
     "k.wws:1:9: bad kernel name: 'r5'; write .kernel NAME"},
    {".kernel k\n.kernel k2\nexit",
     "k.wws:1:9: kernel must end in exit or an unguarded bra: 'k'; it would run past its end"},
    {".kernel k\nexit\n.kernel k\nexit",
     "k.wws:3:9: this kernel is already defined: 'k'"},
    {".kernel k\nadd.i32 r0, r0, 1",
     "k.wws:1:9: kernel must end in exit or an unguarded bra: 'k'; it would run past its end"},
    {".kernel k\n@p0 exit",
     "k.wws:1:9: kernel must end in exit or an unguarded bra: 'k'; it would run past its end"},
    {".kernal k\nexit",
     "k.wws:1:1: unknown directive '.kernal'; did you mean '.kernel'?"},
    {"L: .kernel k\nexit",
     "k.wws:1:1: label outside a kernel: 'L'; start one with .kernel NAME"},
    {".const t u128 1\n.kernel k\nexit",
     "k.wws:1:10: unknown type of constants: 'u128'; use u8, s8, u16, ... f64, or b8, b16, b32, b64"},
    {".const t u8 256\n.kernel k\nexit",
     "k.wws:1:13: number does not fit into u8: '256'"},
    {".const t f32 abc\n.kernel k\nexit",
     "k.wws:1:14: not a float: 'abc'; write 1.5, 2e-3, or bits as 0h3C00, 0f3F800000, 0d3FF0000000000000"},
    {BODY("ad.i32 i, i, 1"),
     "k.wws:8:1: unknown operation 'ad.i32'; did you mean 'add.i32'?"},
    {BODY("setp.lt.i32 done, i, v"),
     "k.wws:8:1: unknown operation 'setp.lt.i32'; did you mean 'setp.lt.s32'?"},
    {BODY("zzzzzz i"),
     "k.wws:8:1: unknown operation 'zzzzzz'"},
    {BODY("add.i32 i, i"),
     "k.wws:8:13: add.i32: expected ',' and another operand instead of the end of the line"},
    {BODY("add.i32 i, i, 1, 2"),
     "k.wws:8:16: too much on this line: ','"},
    {BODY("lop3.b32 i, i, i, i, table=256"),
     "k.wws:8:28: table cannot be '256'; 0 to 255"},
    {BODY("lop3.b32 i, i, i, i, shift=1"),
     "k.wws:8:22: expected table=N instead of 'shift'"},
    {BODY("lea.i32 i, i, 1, shift=32"),
     "k.wws:8:24: shift cannot be '32'; 0 to 31"},
    {BODY("add.i32 i, i 1"),
     "k.wws:8:14: add.i32: expected ',' and another operand instead of '1'"},
    {BODY("add.i32 i, 1, 2"),
     "k.wws:8:15: a second number: '2'; put one into a register with mov"},
    {BODY("add.i32 i, i, 4294967296"),
     "k.wws:8:15: number does not fit into 32 bits: '4294967296'; put it into a .reg64 with mov.b64"},
    {BODY("add.i32 i, i, -2147483649"),
     "k.wws:8:15: number does not fit into 32 bits: '-2147483649'; put it into a .reg64 with mov.b64"},
    {BODY("add.i64 p, p, 18446744073709551616"),
     "k.wws:8:15: not a whole number: '18446744073709551616'; decimal, 0x1f or 0b101, below 2^64"},
    {BODY("add.i32 i, i, 12q"),
     "k.wws:8:15: not a whole number: '12q'; decimal, 0x1f or 0b101, below 2^64"},
    {BODY("add.i32 i, i, 0x"),
     "k.wws:8:15: not a whole number: '0x'; decimal, 0x1f or 0b101, below 2^64"},
    {BODY("add.i32 i, i, 1.5"),
     "k.wws:8:15: expected an unsigned 32-bit integer instead of the float '1.5'; cvt makes one from a float"},
    {BODY("add.f32 i, i, 0x10"),
     "k.wws:8:15: not a float: '0x10'; write 1.5, 2e-3, or bits as 0h3C00, 0f3F800000, 0d3FF0000000000000"},
    {BODY("add.f32 i, i, 0d3FF0000000000000"),
     "k.wws:8:15: wrong bits here: '0d3FF0000000000000'; 0h, 0f, 0d are a half's, float's, double's bits"},
    {BODY("add.f32 i, i, 1e"),
     "k.wws:8:15: not a float: '1e'; write 1.5, 2e-3, or bits as 0h3C00, 0f3F800000, 0d3FF0000000000000"},
    {BODY("add.i32 i, vv, 1"),
     "k.wws:8:12: unknown register 'vv'; did you mean 'v'?"},
    {BODY("add.i32 qqqqq, i, 1"),
     "k.wws:8:9: unknown register 'qqqqq'; declare it with .reg, .reg64 or .pred"},
    {BODY("add.i32 tile, i, 1"),
     "k.wws:8:9: expected a register instead of 'tile'"},
    {BODY("add.i32 done, i, 1"),
     "k.wws:8:9: expected a register instead of 'done'"},
    {BODY("add.i64 p, i, 1"),
     "k.wws:8:12: expected 2 registers instead of 'i'; declare it with .reg64"},
    {BODY("add.i32 i, p, 1"),
     "k.wws:8:12: expected a single register instead of the pair 'p'; take .lo or .hi of it"},
    {BODY("mov.b32 i, p.mid"),
     "k.wws:8:13: no such half: '.mid'; the halves of a pair are .lo and .hi"},
    {BODY("mov.b32 i, v.lo"),
     "k.wws:8:12: only a pair has halves, not 'v'; declare it with .reg64"},
    {BODY("mov.b32 i, w[4]"),
     "k.wws:8:14: an index into this array cannot be '4'; 0 to 3"},
    {BODY("ld.global.b128 v, [p]"),
     "k.wws:8:16: expected 4 registers instead of 'v'; declare it with .reg NAME[4]"},
    {BODY("ld.global.b128 w[1], [p]"),
     "k.wws:8:16: expected 4 registers instead of 'w'; declare it with .reg NAME[4]"},
    {BODY("add.i32 r3, i, 1"),
     "k.wws:8:9: bare register beside named ones: 'r3'; name all registers of a kernel, or none"},
    {BODY("@dome exit"),
     "k.wws:8:2: unknown predicate 'dome'; did you mean 'done'?"},
    {BODY("@i exit"),
     "k.wws:8:2: expected a predicate instead of 'i'; declare it with .pred"},
    {BODY("@p3 exit"),
     "k.wws:8:2: bare predicate beside named ones: 'p3'; name all predicates of a kernel, or none"},
    {BODY("@! exit"),
     "k.wws:8:4: unknown predicate 'exit'; declare it with .reg, .reg64 or .pred"},
    {BODY("setp.eq.u32 i, v, v"),
     "k.wws:8:13: expected a predicate instead of 'i'; declare it with .pred"},
    {BODY("sel.b32 i, v, v, 2"),
     "k.wws:8:18: a predicate cannot be '2'; 0 to 1"},
    {BODY("mov.pred done, 2"),
     "k.wws:8:16: a predicate cannot be '2'; 0 to 1"},
    {BODY("bra nowhere"),
     "k.wws:8:5: unknown label 'nowhere'"},
    {BODY("again: add.i32 i, i, 1\nbra agian"),
     "k.wws:9:5: unknown label 'agian'; did you mean 'again'?"},
    {BODY("a: a: exit"),
     "k.wws:8:4: this label is already defined: 'a'"},
    {BODY("@done bra a, join=b\na: mov.b32 i, 1\nb: exit"),
     "k.wws:8:19: the sides of this branch do not meet at 'b'; they meet at line 9"},
    {BODY("bra a, join=a\na: exit"),
     "k.wws:8:8: this branch has no 'join'; only a guarded branch has two sides"},
    {BODY("@done bra a, jion=a\na: exit"),
     "k.wws:8:14: expected join=LABEL instead of 'jion'"},
    {BODY("@done bra a, join=\na: exit"),
     "k.wws:8:19: expected a label instead of the end of the line"},
    {BODY("@done bra a, join=never\na: exit"),
     "k.wws:8:19: the sides of this branch do not meet at 'never'; they meet at line 9"},
    {BODY("get.local_id i, w"),
     "k.wws:8:17: unknown axis 'w'; x, y or z"},
    {BODY("ld.arg.b64 p, srk"),
     "k.wws:8:15: unknown name 'srk'; did you mean 'src'?"},
    {BODY("ld.arg.b64 p, n + 4"),
     "k.wws:8:15: 8 bytes are outside the arguments at 'n'; declare arguments before their use"},
    {BODY("ld.arg.b64 p, -1"),
     "k.wws:8:15: 8 bytes are outside the arguments at '-1'; declare arguments before their use"},
    {BODY("ld.global.b32 v, [i]"),
     "k.wws:8:19: expected 2 registers instead of 'i'; declare it with .reg64"},
    {BODY("ld.global.b32 v, [4]"),
     "k.wws:8:20: expected a pair in the global address before ']'; write [pair + index + number]"},
    {BODY("ld.global.b32 v, [p - i]"),
     "k.wws:8:23: an address cannot subtract a register: 'i'; add a negative number, or subtract first"},
    {BODY("ld.global.b32 v, [p + i + v]"),
     "k.wws:8:27: one register too many in an address: 'v'; add them first"},
    {BODY("ld.global.b32 v, p"),
     "k.wws:8:18: expected '[' instead of 'p'"},
    {BODY("ld.global.b32 v, [p"),
     "k.wws:8:20: expected ']' instead of the end of the line"},
    {BODY("ld.lds.b32 v, [i + v]"),
     "k.wws:8:20: one register too many in an address: 'v'; add them first"},
    {BODY("ld.lds.b32 v, [i + 5000000000]"),
     "k.wws:8:15: a number of more than 32 bits in the address that starts at '['"},
    {BODY("prefetch [p + 4], 64"),
     "k.wws:8:15: this address takes no number: '4'; add it first"},
    {BODY("atom.global.cas.b32 v, [p + i], v, i"),
     "k.wws:8:29: one register too many in an address: 'i'; add them first"},
    {BODY("st.lds.b32 [tile], 5"),
     "k.wws:8:20: expected a register instead of '5'"},
    {BODY("copy.to_lds i, [tile], [p], n, size=3"),
     "k.wws:8:37: the size of an element cannot be '3'; 1, 2, 4, 8, 16, 32, 64 or 128 bytes"},
    {BODY("copy.to_lds i, [tile], [p], 3000000, size=4"),
     "k.wws:8:29: the element count as a number cannot be '3000000'; 0 to 2097151"},
    {BODY("copy.to_lds i, [tile], [p], 4"),
     "k.wws:8:30: copy.to_lds: expected ',' and another operand instead of the end of the line"},
    {BODY("copy.to_lds.strided i, [tile], [p], 4, 70000, size=4"),
     "k.wws:8:40: the stride as a number cannot be '70000'; 0 to 65535"},
    {BODY("copy.to_lds i, [p], [tile], 4, size=4"),
     "k.wws:8:17: expected a single register instead of the pair 'p'; take .lo or .hi of it"},
    {BODY("copy.to_lds.2d i, [i], [p], 4, size=v, lines=v, global_line=v, lds_line=v"),
     "k.wws:8:29: expected a register instead of '4'"},
    {BODY("copy.to_lds.2d i, [i], [p], v, size=v, lines=v, global_line=v"),
     "k.wws:8:62: expected ',' and another named operand of the copy instead of the end of the line; size=, lines=, "
     "global_line= and lds_line="},
    {BODY("copy.to_lds.2d i, [i], [p], v, size=v, lines=v, lines=v, lds_line=v"),
     "k.wws:8:49: the copy already has 'lines'"},
    {BODY("copy.to_lds.2d i, [i], [p], v, size=v, planes=v, lines=v, lds_line=v"),
     "k.wws:8:40: expected a named operand of the copy instead of 'planes'; size=, lines=, global_line= and lds_line="},
    {BODY("copy.to_global.3d i, [p], [i], v, size=4"),
     "k.wws:8:40: expected a register instead of '4'"},
    {BODY("wait.first 2, i"),
     "k.wws:8:12: expected a register instead of '2'"},
    {BODY("wait"),
     "k.wws:8:5: expected a register instead of the end of the line"},
    {BODY("wait i, i, i, i, i, i, i, i, i"),
     "k.wws:8:30: a wait names at most 8 events; no room for 'i'; write another wait"},
    {".kernel k\n.reg a, a\nexit",
     "k.wws:2:9: this name is already defined: 'a'; names are unique in a kernel"},
    {".kernel k\n.reg a[0]\nexit",
     "k.wws:2:8: an array must have at least 1 element, not '0'"},
    {".kernel k\n.reg a[256]\nexit",
     "k.wws:2:8: the length of an array cannot be '256'; 0 to 255"},
    {".kernel k\n.reg a[200], b[56]\nexit",
     "k.wws:2:14: more than 255 registers at 'b'"},
    {".kernel k\n.reg 5a\nexit",
     "k.wws:2:6: bad name '5a'; a name is letters, digits and '_', and not r0 or p0"},
    {".kernel k\nmov.b32 r0, 1\n.reg a\nexit",
     "k.wws:3:6: a name after bare registers: 'a'; name all registers of a kernel, or none"},
    {".kernel k\n.pred a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,q,s\nexit",
     "k.wws:2:39: more than 16 predicates at 's'"},
    {".kernel k\n.lds t\nexit",
     "k.wws:2:7: expected a number instead of the end of the line"},
    {".kernel k\n.lds t 99999999\nexit",
     "k.wws:2:8: the size of an LDS block cannot be '99999999'; 0 to 16777216"},
    {".kernel k\n.lds t 8 align 3\nexit",
     "k.wws:2:10: an alignment is a power of two: 'align'"},
    {".kernel k\n.scratch 0\nexit", "k.wws:2:10: a scratch must have at least 1 byte, not '0'"},
    {".kernel k\n.scratch 8\n.scratch 4\nexit", "k.wws:3:10: a kernel has only one scratch: '4'"},
    {".kernel k\n.private 268435457\nexit",
     "k.wws:2:10: the size of private memory cannot be '268435457'; 0 to 268435456"},
    {".kernel k\n.private 8\n.spilled 3\nexit",
     "k.wws:3:10: the private memory has room for 2 words, not '3'; spilled words are part of .private, which must come first"},
    {".channel c 4 8\n.variable v u32 1\n.kernel k\nexit",
     "k.wws:2:11: all variables must come before the first channel: 'v'; move it up"},
    {".channel c 4 0\n.kernel k\nexit",
     "k.wws:1:12: a channel must hold at least 1 packet of at least 1 byte, not '4'"},
    {".channel c[100] 4 1\n.channel d[27] 4 1\n.kernel k\nexit", "k.wws:2:10: more than 126 channels at 'd'"},
    {".channel c[0] 4 1\n.kernel k\nexit", "k.wws:1:12: an array must have at least 1 element, not '0'"},
    {".channel c[20] 1048576 16\n.kernel k\nexit", "k.wws:1:10: more than 256 MiB of channels at 'c'"},
    {".kernel k\n.autorun 2, 0, 1\nexit", "k.wws:2:13: an autorun kernel must have at least 1 work-group, not '0'"},
    {".variable v float 1\n.kernel k\nexit",
     "k.wws:1:13: unknown type of variables: 'float'; use u8, s8, u16, ... f64, or b8, b16, b32, b64"},
    {".const d b8 0x77, 0\n.kernel k\nprintf [0], d\nexit",
     "k.wws:3:13: no descriptor of a printf at 'd'; two strings in .const above: the arguments' types, the format"},
    {".const d b8 0x78, 0, 0\n.kernel k\nprintf [0], d\nexit",
     "k.wws:3:13: no descriptor of a printf at 'd'; two strings in .const above: the arguments' types, the format"},
    {".kernel k\n.arg a float\nexit",
     "k.wws:2:8: unknown type of an argument: 'float'; use global, local, pipe, image2d, sampler, u32, f32x4, ... or bytes N"},
    {".kernel k\n.arg a u32x5\nexit",
     "k.wws:2:8: unknown type of an argument: 'u32x5'; use global, local, pipe, image2d, sampler, u32, f32x4, ... or bytes N"},
    {".kernel k\n.arg a bytes 0\nexit",
     "k.wws:2:8: unknown type of an argument: 'bytes'; use global, local, pipe, image2d, sampler, u32, f32x4, ... or bytes N"},
    {".kernel k\n.reqd_local 0\nexit",
     "k.wws:2:13: impossible work-group size '0'; 1 to 65536 work-items"},
    {".kernel k\n.reqd_local 1024, 1024\nexit",
     "k.wws:2:13: impossible work-group size '1024'; 1 to 65536 work-items"},
    {".kernel k\n.registers 0\nexit",
     "k.wws:2:12: a kernel must have at least 1 register, not '0'; 1 to 255"},
    {".kernel k\n.registers 256\nexit",
     "k.wws:2:12: a number of registers cannot be '256'; 0 to 255"},
    {".kernel k\n\x01\377\nexit",
     "k.wws:2:1: expected an operation instead of '?'"},
    {".kernel k\nexit exit",
     "k.wws:2:6: too much on this line: 'exit'"},
    {".kernel k\n@p0 @p1 exit\nexit",
     "k.wws:2:5: expected an operation instead of '@'"},
};
/* clang-format on */

TEST(errors, every_malformed_source_is_reported_with_its_line) {
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct isa_error error = {""};
    ct_freed(isa_program_free_at) struct isa_program *program =
        isa_assemble(bad[i].source, strlen(bad[i].source), "k.wws", &error);
    ct_note("%s", bad[i].source);
    EXPECT_TRUE(program == NULL);
    EXPECT_STREQ(error.text, bad[i].message);
  }
}

TEST(errors, long_and_unprintable_text_is_cut_and_masked) {
  char source[5000] = ".kernel k\n";
  memset(source + 10, 'z', 4000);
  struct isa_error error;
  EXPECT_TRUE(isa_assemble(source, strlen(source), "k.wws", &error) == NULL);
  EXPECT_STREQ(error.text, "k.wws:2:1: unknown operation 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...'");
  const char nul[] = ".kernel k\n\0\x1b[31m\n";
  EXPECT_TRUE(isa_assemble(nul, sizeof nul, "k.wws", &error) == NULL);
  EXPECT_STREQ(error.text, "k.wws:2:1: expected an operation instead of '?'");
}

/* The source is zeros, which share one page of memory. One byte less is accepted, as far as its first line. */
TEST(errors, a_source_of_2_gib_is_too_large) {
  const size_t length = (size_t)1 << 31;
  struct isa_error error = {""};
  char *source = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_TRUE(source != MAP_FAILED);
  EXPECT_TRUE(isa_assemble(source, length, "k.wws", &error) == NULL);
  EXPECT_STREQ(error.text, "k.wws: the source is larger than 2 GiB");
  madvise(source, length, MADV_HUGEPAGE); /* half a million page faults less */
  strcpy(source, "exit\n");
  EXPECT_TRUE(isa_assemble(source, length - 1, "k.wws", &error) == NULL);
  EXPECT_CONTAINS(error.text, "k.wws:1:1: instruction outside a kernel");
  munmap(source, length);
}

TEST(errors, any_line_ending_or_none_gives_the_same_program) {
  struct isa_error error = {""};
  const char *const good[] = {".kernel k\r\nmov.b32 r0, 1\r\nexit\r\n", ".kernel k\n\texit",
                              ".kernel k\nL: M: exit // end"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(good[i], strlen(good[i]), "k.wws", &error);
    EXPECT_STREQ(error.text, "");
  }
}

TEST(errors, a_long_unknown_directive_is_cut_and_has_no_neighbor) {
  const char source[] = ".kernel k\n.registers_that_are_far_too_many_to_be_named_here 3\nexit";
  struct isa_error error = {""};
  EXPECT_TRUE(isa_assemble(source, strlen(source), "k.wws", &error) == NULL);
  EXPECT_STREQ(error.text, "k.wws:2:1: unknown directive '.registers_that_are_far_too_many_to_be_n...'");
}

TEST(errors, a_number_is_decimal_hexadecimal_or_binary_up_to_a_comment) {
  static const struct {
    const char *text;
    uint64_t value;
  } rows[] = {{"5", 5}, {"0x1F", 31}, {"0b0", 0}, {"0b101", 5}, {"0B11111", 31}, {"5//five", 5}, {"0b11//three", 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char source[100];
    struct isa_error error = {""};
    snprintf(source, sizeof source, ".kernel k\nmov.b32 r0, %s\nexit", rows[i].text);
    ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "k.wws", &error);
    EXPECT_STREQ(error.text, "");
    EXPECT_EQ(program ? program->code[0].imm : UINT64_MAX, rows[i].value);
  }
}

TEST(errors, a_vector_argument_has_the_size_and_alignment_of_its_elements_together) {
  static const struct {
    const char *type;
    uint32_t bytes;
  } rows[] = {{"f32", 4},     {"f32x2", 8}, {"f32x3", 16}, {"f32x4", 16}, {"f32x8", 32},
              {"f32x16", 64}, {"u8x2", 2},  {"u8x3", 4},   {"f64x2", 16}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char source[100];
    struct isa_error error = {""};
    snprintf(source, sizeof source, ".kernel k\n.arg a u8\n.arg b %s\nexit", rows[i].type);
    ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "k.wws", &error);
    ct_note("%s", rows[i].type);
    EXPECT_STREQ(error.text, "");
    EXPECT_EQ(program ? program->kernels[0].args[1].bytes : 0, rows[i].bytes);
    EXPECT_EQ(program ? program->kernels[0].args[1].offset : 0, rows[i].bytes);
  }
}

TEST(errors, a_pair_in_an_array_has_halves_like_any_other) {
  static const char source[] = ".kernel k\n.reg x\n.reg64 w[3]\nmov.b32 w[1].lo, 1\nmov.b32 w[1].hi, 2\n"
                               "mov.b32 w[2] .lo, 3\nmov.b32 x, w[2].hi\nexit";
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "k.wws", &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(program != NULL);
  EXPECT_EQ(program->code[1].d, program->code[0].d + 1);
  EXPECT_EQ(program->code[2].d, program->code[0].d + 2);
  EXPECT_EQ(program->code[3].a, program->code[0].d + 3);
}
