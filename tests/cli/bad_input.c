/* Bad input: one line on stderr that names the place, the value and what is legal; exit status 2; nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

static size_t lines(const char *text) {
  size_t count = 0;
  for (; *text; text++)
    count += *text == '\n';
  return count;
}

/* Runs the tool; its message must contain all of `parts`, separated by '|'. */
static void refuse(const char *arguments, const char *parts) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  char part[200], stranger[256];
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(lines(outcome.err), 1);
  EXPECT_STREQ(outcome.out, "");
  for (const char *at = parts; *at; at += strlen(part) + (at[strlen(part)] == '|')) {
    snprintf(part, sizeof part, "%.*s", (int)strcspn(at, "|"), at);
    EXPECT_CONTAINS(outcome.err, part);
  }
  EXPECT_EQ(tool_strangers(stranger, sizeof stranger), 0);
}

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer needs more address space than this limit leaves */
/* Writes a launch file of `count` launches. */
static void write_many_launches(unsigned count) {
  ct_freed(ct_free) char *text = calloc(count + 10u, 100);
  size_t used = (size_t)sprintf(text, "{\"program\": \"kernel.wws\", \"buffers\": {\"data\": {\"bytes\": 4}},"
                                      " \"launches\": [");
  while (count--)
    used += (size_t)sprintf(
        text + used,
        "{\"kernel\": \"plus\", \"global\": [1], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 5}, {\"local\": 64}]}%s",
        count ? "," : "]}");
  tool_file("many.json", text);
}

/* Like refuse(), with an address space of `mebibytes` MiB. */
static void refuse_within(unsigned mebibytes, const char *arguments, const char *parts) {
  struct rlimit before;
  getrlimit(RLIMIT_AS, &before);
  const struct rlimit less = {(rlim_t)mebibytes << 20, before.rlim_max};
  ct_note("%s with %u MiB", arguments, mebibytes);
  setrlimit(RLIMIT_AS, &less);
  refuse(arguments, parts);
  setrlimit(RLIMIT_AS, &before);
}

TEST(bad_input, out_of_memory_is_reported_in_one_line_and_is_no_internal_error) {
  fixture_folder();
  write_many_launches(20000);
  refuse_within(30, "run many.json", "warpwait: out of memory: `warpwait run many.json` needs | more bytes\n");
  refuse_within(30, "check many.json", "warpwait: out of memory: `warpwait check many.json` needs ");
  refuse_within(300, "run many.json", "warpwait: out of memory: `warpwait run many.json` needs | more bytes\n");
  refuse_within(300, "explain --quiet many.json",
                "warpwait: out of memory: `warpwait explain --quiet many.json` needs | more bytes\n");
}
#endif

TEST(cli, bad_usage_is_reported_in_one_line) {
  static const struct {
    const char *arguments, *parts;
  } rows[] = {
      {"", "--help"},
      {"rnu", "no verb 'rnu'|'run'"},
      {"frobnicate", "no verb|run, exec, check, explain, asm, dis"},
      {"playground --port 0", "--port|'0'|[1, 65535]"},
      {"playground --port 70000", "--port|'70000'|[1, 65535]"},
      {"playground --folder /nonexistent", "--folder|/nonexistent|make playground"},
      {"playground build/playground", "build/playground|--folder"},
      {"run", "missing"},
      {"run a.json b.json", "b.json|one"},
      {"run --machine", "--machine: needs a value"},
      {"run l.json --frob", "--frob: no such option"},
      {"run vadd.cl --args x", "--args: no such option; did you mean '--arg'?"},
      {"run vadd.cl --globl 4", "--globl: no such option; did you mean '--global'?"},
      {"run vadd.cl --global 4 --machin h200 --globl=4 x", "--globl: no such option"},
      {"run --json l.json", "--json: no such option; did you mean '--report json'?"},
      {"dis vadd.cl --kernel vadd", "--kernel: is not an option of this verb, but of `warpwait run`"},
      {"dis vadd.cl --json", "--json: is not an option of this verb, but of `warpwait trace info`"},
      {"run l.json -qx --verify", "-qx: no such option; --help lists them"},
      {"run l.json --verify=3 --quiet", "--verify=3: takes no value"},
      {"run l.json -q -m", "-m: needs a value, NAME|FILE"},
      {"run l.json --verfy", "--verfy|'--verify'"},
      {"run l.json -x", "-x: no such option"},
      {"run l.json --report xml", "--report|'xml'|text json"},
      {"run l.json --host vhdl", "--host|'vhdl'|plain systemc"},
      {"run l.json --threads 0", "--threads|'0'|[1, 64] threads"},
      {"run l.json --threads 2 --host systemc", "--threads|plain"},
      {"run l.json --threads 2 --order descending", "--threads|order"},
      {"run l.json --max-cycles 0", "--max-cycles|'0'|[1, "},
      {"run l.json --max-cycles ten", "--max-cycles|'ten'"},
      {"run l.json --order sideways", "--order|'sideways'|ascending"},
      {"run l.json --order ascending --host systemc", "--order|plain"},
      {"run nothing.json", "nothing.json|No such file"},
      {"run nofile.json --global 4", "nofile.json: No such file or directory"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg null", "--arg null: null does not fit: |'add' is a value"},
      {"run there.json --offset 4", "--offset|launch file"},
      {"run kernel.cl --global 4", "kernel.cl: No such file"},
      {"run other.txt --global 4",
       "'other.txt' is not a program; legal: .cl, .ocl, .opencl (OpenCL C), .spv (SPIR-V), .ll, .llir, "
       ".bc (LLVM IR), .wws (assembly), .wwo (object file)"},
      {"run kernel.wws", "--global is missing: the number of work-items"},
      {"run red.wws", "red.wws: No such file"},
      {"run red", "red: No such file"},
      {"run .", ".: is a directory, without a launch file"},
      {"run l.json --order shuffled:4294967296", "--order|'4294967296'|[0, 4294967295]"},
      {"run l.json --order shuffled:99999999999999999999", "--order|[0, 4294967295]"},
      {"run l.json --order shuffled:-1", "--order|'-1'"},
      {"run kernel.wws --global 4x", "--global: '4x'|X[,Y[,Z]]"},
      {"run kernel.wws --global 0", "--global: '0'"},
      {"run kernel.wws --global 4,4,4,4", "--global"},
      {"run kernel.wws --global 4 --local 2,2", "--local: 2 entries|1"},
      {"run kernel.wws --global 4 --verify", "--verify|launch file"},
      {"run kernel.wws --global 4 --kernel mnius", "--kernel: no kernel 'mnius'|plus"},
      {"run kernel.wws --global 4", "--arg|argument 1, 'data'|missing"},
      {"run kernel.wws --global 4 --arg int", "--arg int|KIND:VALUE"},
      {"run kernel.wws --global 4 --arg itn:3", "'itn'|'int'|ushort"},
      {"run kernel.wws --global 4 --arg bufer:a=16", "'bufer'; did you mean 'buffer'?; legal: "},
      {"run kernel.wws --global 4 --arg whatever:3", "unknown kind of argument 'whatever'; legal: buffer, null, local, "
                                                     "pipe, image, sampler, bytes, or a type: char uchar"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg float:3", "float (4 bytes)|'add' is a value (u32"},
      {"run kernel.wws --global 4 --arg buffer:a=18:uint:iota", "18 bytes|multiple of 4"},
      {"run kernel.wws --global 4 --arg buffer:a=18:uint:random", "18 bytes|multiple of 4"},
      {"run kernel.wws --global 4 --arg int:3", "'data'|a buffer"},
      {"run kernel.wws --global 4 --arg buffer:a", "no buffer 'a'"},
      {"run kernel.wws --global 4 --arg buffer:a=0", "--arg buffer:a=0|outside"},
      {"run kernel.wws --global 4 --arg buffer:a=many", "'many'"},
      {"run kernel.wws --global 4 --arg buffer:a=16:flaot", "'flaot'|'float'"},
      {"run kernel.wws --global 4 --arg buffer:a=16:float:iotta", "no fill 'iotta' (nor @FILE); did you mean 'iota'?"},
      {"run kernel.wws --global 4 --arg buffer:a=16:float:@none.bin", "none.bin|No such file"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:x", "'x'|[0, 4294967295]"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint2:1,2", "'add'|4 bytes"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint2:1", "1 component, not the 2"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg bytes:0g", "'0g'|hexadecimal"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:1G", "'1G'"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:99999999", "99999999|65536"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:4 --arg int:1", "3 arguments"},
      {"run kernel.wws --global 4 --set dma.chanels=2", "--set|'dma.chanels'|'dma.channels'"},
      {"run kernel.wws --global 4 --set dma.channels=65", "--set|dma.channels: 65|[1, 64]"},
      {"run kernel.wws --global 4 --set dma.channels", "--set|KEY=VALUE"},
      {"run kernel.wws --global 4 --set cu.warp_size=33", "cu.warp_size: 33|power of two"},
      {"run kernel.wws --global 4 --set lds.priority=nobody", "lds.priority: 'nobody'|alternate warps dma"},
      {"run kernel.wws --global 4 --machine techaing", "--machine|'techaing'|'teaching'"},
      {"run kernel.wws --global 4 --machine none.ini", "--machine|none.ini|No such file"},
      {"run kernel.wws --global 4096 --local 4096 --arg buffer:a=16 --arg uint:1 --arg local:4",
       "--local|4096 x 1 x 1|512"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:4 --dump b=x", "--dump|no buffer 'b'|a"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:4 --dump a", "--dump|BUFFER=FILE"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:4 --out none/x", "--out|none/x"},
      {"run kernel.wws --global 4 --arg buffer:a=16 --arg uint:1 --arg local:4 --vcd none/x", "--vcd|none/x"},
      {"asm", "missing"},
      {"asm none.wws", "none.wws|No such file"},
      {"asm kernel.wws -o none/x.wwo", "none/x.wwo"},
      {"dis kernel.cl", "kernel.cl"},
      {"dis none.wwo", "none.wwo"},
      {"run kernel.wws --global 4 -D", "-D: needs a value, NAME[=VALUE]"},
      {"run kernel.wws --global 4 -D N=3",
       "'kernel.wws' is assembly, which defines cannot change; only .cl is compiled"},
      {"asm kernel.wws --registers 64", "'kernel.wws' is assembly, whose registers are"},
      {"asm kernel.wws --registers 15", "--registers: '15' is not a whole number in [16, 255] registers a lane"},
      {"asm kernel.wws --registers many", "--registers: 'many' is not"},
      {"asm kernel.wws --optimize 0",
       "'kernel.wws' is assembly, which runs unchanged; only .cl, .spv, .ll and .bc are optimized"},
      {"asm kernel.wws --without hoist", "'kernel.wws' is assembly, which runs"},
      {"asm kernel.wws --optimize 4", "--optimize: '4' is not an optimization level, 0 to 3"},
      {"asm kernel.wws --optimize 12", "--optimize: '12' is not an"},
      {"asm kernel.wws --without hoist,unrol", "--without: no pass 'unrol'; did you mean 'unroll'?"},
      {"asm kernel.wws --without meet", "--without: pass 'meet' cannot be"},
      {"asm kernel.wws --without hoist,", "--without: no pass ''; legal: "},
      {"dis kernel.wws --explain-passes",
       "--explain-passes: 'kernel.wws' is not compiled; only .cl, .spv, .ll and .bc are"},
      {"asm kernel.wws --copies loop", "'kernel.wws' is assembly, whose copies cannot be"},
      {"asm kernel.wws --copies lop", "--copies: no copy mode 'lop'; did you mean 'loop'?"},
      {"run l.json --annotate --report json", "--annotate: not with JSON, which has the same costs in by_line"},
      {"params zma", "'zma'"},
      {"params --machine nine", "--machine|'nine'"},
      {"machines moon", "no machine 'moon'|teaching"},
      {"machines a b", "b"},
      {"machines --all", "--all: is not an option of this verb, but of `warpwait diff`"},
      {"machines --versoin", "'--version'"},
  };
  fixture_folder();
  tool_file("there.json", "{}\n");
  tool_file("other.txt", "");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("warpwait %s", rows[i].arguments);
    refuse(rows[i].arguments, rows[i].parts);
  }
}

TEST(cli, bad_machine_file_names_its_line) {
  static const struct {
    const char *text, *parts;
  } rows[] = {
      {"[cu]\ncuont = 3\n", "m.ini:2|'cu.cuont'|'cu.count'"},
      {"[cu]\ncount = 0\n", "m.ini:2|cu.count: 0|[1, 1024] CUs"},
      {"[cu]\ncount = -1\n", "m.ini:2|'-1'|[1, 1024]"},
      {"[cu]\n\ncount = three\n", "m.ini:3|'three'"},
      {"[cu]\ncount = 1\ncount = 2\n", "m.ini:3|cu.count: is already set\n"},
      {"[cu]\npolicy = random\n", "m.ini:2|'random'|round_robin greedy_oldest oldest"},
      {"[lsd]\nbanks = 32\n", "m.ini:2|[lsd]|'lds'"},
      {"banks = 32\n", "m.ini:1|banks|section"},
      {"[cu]\nbase = teaching\n", "m.ini:2|base: must be the first key"},
      {"[cu]\ncu.count = 1\n", "m.ini:2|cu.count: in [cu], a key is a parameter without 'cu.'"},
      {"[cu]\ncount = 1\n  warps = 8\n", "m.ini:3|a line that begins with a blank continues the key above"},
      {"[cu\ncount = 1\n", "m.ini:1|[section]"},
      {"[cu]\nnonsense\ncount = 0\n", "m.ini:2|key = value"},
      {"base = techaing\n", "m.ini:1|'techaing'|'teaching'"},
      {"base = m.ini\n", "m.ini:1|loop"},
      {"base = none.ini\n", "m.ini:1|none.ini|No such file"},
      {"base = teaching\nbase = dsp\n", "m.ini:2|base|first"},
      {"[lds]\nbanks = 33\n", "m.ini:2|lds.banks: 33|power of two"},
      {"[lds]\nsize = 99999999999999999999\n", "m.ini:2|lds.size"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture_folder();
    tool_file("m.ini", rows[i].text);
    ct_note("%s", rows[i].text);
    refuse("params --machine m.ini", rows[i].parts);
  }
}

/* The launch is on line 4; keys such as `"set"` are on their own line, 6. */
TEST(cli, bad_launch_file_names_line_and_path) {
  static const struct {
    const char *text, *parts;
  } rows[] = {
      {"", "l.json:1"},
      {"[]", "l.json:1|object"},
      {"{\"a\": }", "l.json:1"},
      {"{\n\"program\": 1,\n\"program\": 2}", "l.json:3|duplicate"},
      {"{\n\"porgram\": \"kernel.wws\"}", "l.json:2: porgram|'program'"},
      {"{}", "launches|missing"},
      {"{\"launches\": []}", "l.json:1: launches|empty"},
      {"{\"program\": \"k.spv\", \"launches\": []}", "l.json:1: program|k.spv: No such file"},
      {"{\"program\": 3, \"launches\": []}", "program|not a string"},
      {"{\"program\": \"none.wws\",\n \"launches\": []}", "l.json:1: program|none.wws|No such file"},
      {"{\"program\": \"kernel.wws\",\n \"launches\": []}", "l.json:2: launches|empty"},
      {"{\"program\": \"kernel.wws\",\n \"launches\": {}}", "l.json:2: launches|list"},
      {"{\"program\": \"kernel.wws\",\n \"launches\": [7]}", "l.json:2: launches[0]|object"},
      {"{\"program\": \"kernel.wws\",\n \"pipes\": [],\n \"launches\": []}", "l.json:2: pipes|object"},
      {"{\"program\": \"kernel.wws\", \"build\": {}, \"launches\": []}", "build|OpenCL C"},
      {"{\"program\": \"kernel.wws\", \"launches\": [],\n\"machine\": \"mars\"}", "l.json:2: machine|'mars'|teaching"},
      {"{\"program\": \"kernel.wws\", \"launches\": [],\n\"set\": {\n\"cu.cout\": 1}}",
       "l.json:3: set.cu.cout|'cu.count'"},
      {"{\"program\": \"kernel.wws\", \"launches\": [],\n\"set\": {\n\"cu.count\": 1.5}}",
       "l.json:3: set.cu.count|whole"},
      {"{\"program\": \"kernel.wws\", \"launches\": [],\n\"set\": {\n\"cu.count\": \"x\"}}",
       "l.json:3: set.cu.count: 'x' is not|[1, 1024]"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": []}", "buffers|object"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\n\"a\": {}}}", "l.json:2: buffers.a|'bytes'"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\n\"a\": {\"byte\": 3}}}",
       "buffers.a.byte|'bytes'"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\n\"a\": {\"bytes\": 4, \"fil\": 1}}}",
       "buffers.a.fil: no such key; did you mean 'file' or 'fill'?"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\n\"a\": {\"bytes\": 0}}}",
       "buffers.a.bytes: 0|[1, "},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\n\"a\": {\"bytes\": 4294967297}}}",
       "buffers.a.bytes: 4294967297"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\n\"a\": {\"bytes\": 4294967296},\n\"b\": "
       "{\"bytes\": 1}}}",
       "l.json:3: buffers.b.bytes|together"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 8,\n\"elem\": \"flaot\"}}}",
       "l.json:2: buffers.a.elem|'flaot'|'float'"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 9, \"elem\": \"int\"}}}",
       "multiple|4 bytes of 'int'"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 8, \"fill\": \"rnd\"}}}",
       "buffers.a.fill|'rnd'"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 9, \"fill\": \"iota\"}}}",
       "buffers.a.fill: fill 'iota'|9 bytes|4"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 8, \"fill\": \"zero\", "
       "\"seed\": 3}}}",
       "buffers.a.seed|random"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 8, \"values\": [1]}}}",
       "buffers.a.values|1 elements|2"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 4, \"elem\": \"char\", "
       "\"values\": [1,\n2,\n300,4]}}}",
       "l.json:3: buffers.a.values[2]|'300'|[-128, 127]"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 4, \"file\": \"none.bin\"}}}",
       "buffers.a.file|none.bin"},
      {"{\"program\": \"kernel.wws\", \"launches\": [], \"buffers\": {\"a\": {\"bytes\": 4, \"file\": \"good.bin\"}}}",
       "buffers.a.file|256 bytes|4"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture_folder();
    fixture_expected();
    tool_file("l.json", rows[i].text);
    ct_note("%s", rows[i].text);
    refuse("run l.json --out report.txt --dump a=x", rows[i].parts);
  }
}

/* A launch of the fixture's kernel with one error, on line 3. */
TEST(cli, bad_launch_names_argument_and_limit) {
  static const struct {
    const char *launch, *parts;
  } rows[] = {
      {"{}", "'kernel' is missing"},
      {"{\"kernel\": \"pluss\"}", "launches[0].kernel|'pluss'|'plus'"},
      {"{\"kernel\": \"plus\"}", "'global' is missing"},
      {"{\"kernel\": \"plus\", \"global\": 64}", "launches[0].global|list"},
      {"{\"kernel\": \"plus\", \"global\": []}", "launches[0].global|0 entries|[1, 3]"},
      {"{\"kernel\": \"plus\", \"global\": [0]}", "launches[0].global[0]: 0|[1, 4294967295]"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"local\": [8, 8]}", "launches[0].local|2 entries|1"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"goblal\": [64]}", "launches[0].goblal|'global'"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{}]}", "launches[0].args[0]|one key"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"bufer\": \"d\"}]}",
       "launches[0].args[0].bufer|'buffer'"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"dtaa\"}]}", "args[0].buffer|'dtaa'|'data'"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\", \"offset\": 256}]}",
       "args[0].offset: 256|[0, 255]"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": null, \"offset\": 4}]}",
       "launches[0].args[0].offset: null has no offset"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"buffer\": null}]}",
       "args[1].buffer: null does not fit|'add'"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"int\": \"x\"}]}",
       "args[1].int: 'x'|[-2147483648, 2147483647]"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"ulong\": 1}]}",
       "args[1].ulong|'add'|4 bytes"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"float\": 1}]}",
       "args[1].float: float (4 bytes)|'add'|u32"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"float2\": [1]}]}",
       "args[1].float2|not the 2 of float2"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"pipe\": \"p\"}]}",
       "args[1].pipe|no pipe 'p'; there are no pipes"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"bytes\": \"0\"}]}",
       "args[1].bytes|hexadecimal"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 1}]}",
       "launches[0].args|'room'|missing"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 1}, {\"local\": 0}]}",
       "args[2].local: 0"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"local\": 4}]}", "args[0].local|'data'|a buffer"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"data\", \"ofset\": 4}]}", "ofset|offset"},
      {"{\"kernel\": \"plus\", \"global\": [4294967295, 4294967295], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 1}, "
       "{\"local\": 4}]}",
       "launches[0].global|4294967295 x 4294967295"},
      {"{\"kernel\": \"plus\", \"global\": [64], \"offset\": [4294967295], \"args\": [{\"buffer\": \"data\"}, "
       "{\"uint\": 1}, {\"local\": 4}]}",
       "launches[0].offset: 4294967295"},
      {"{\"kernel\": \"plus\", \"global\": [4096], \"local\": [1024], \"args\": [{\"buffer\": \"data\"}, {\"uint\": "
       "1}, {\"local\": 4}]}",
       "launches[0].local: 1024|[1, 512]"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1000];
    fixture_folder();
    snprintf(text, sizeof text,
             "{\"program\": \"kernel.wws\",\n\"buffers\": {\"data\": {\"bytes\": 256}}, \"launches\": [\n%s]}",
             rows[i].launch);
    tool_file("l.json", text);
    ct_note("%s", rows[i].launch);
    refuse("run l.json --out report.txt --dump data=x --vcd w.vcd", "l.json:3: launches[0]");
    refuse("run l.json --out report.txt", rows[i].parts);
  }
}

TEST(cli, bad_check_names_what_it_lacks) {
  static const struct {
    const char *check, *parts;
  } rows[] = {
      {"7", "check|list"},
      {"[{}]", "check[0]|missing"},
      {"[{\"buffer\": \"data\"}]", "check[0]|'expected' is missing"},
      {"[{\"buffer\": \"dat\", \"expected\": \"good.bin\"}]", "check[0].buffer|'dat'|'data'"},
      {"[{\"buffer\": \"data\", \"expected\": \"none.bin\"}]", "check[0].expected|none.bin"},
      {"[{\"buffer\": \"data\", \"expected\": \"kernel.wws\"}]", "check[0].expected|not the buffer's 256"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"exat\"}]", "check[0].mode|'exat'|'exact'"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"abs\": 1}]", "check[0].abs|no such key"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"tolerance\"}]", "'abs', 'rel' or 'ulp'"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"tolerance\", \"abs\": -1}]",
       "check[0].abs|at least 0"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"tolerance\", \"type\": \"int\", \"ulp\": 1}]",
       "check[0].ulp|half, float"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"multiset\"}]", "'packet' is missing"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"multiset\", \"packet\": 7}]",
       "check[0].packet|7|256"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"elements\", \"elem\": \"int3\"}]",
       "'components' is missing"},
      {"[{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"elements\", \"elem\": \"int3\", "
       "\"components\": [4]}]",
       "components[0]: 4|[0, 3]"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1000], check[600];
    fixture_folder();
    fixture_expected();
    snprintf(check, sizeof check, ",\n\"check\": %s", rows[i].check);
    snprintf(text, sizeof text, fixture_launch, check);
    tool_file("l.json", text);
    ct_note("%s", rows[i].check);
    refuse("run l.json --verify", "l.json:6: check");
    refuse("run l.json --verify", rows[i].parts);
  }
}

TEST(cli, bad_kernel_names_its_line) {
  static const struct {
    const char *text, *parts;
  } rows[] = {
      {".kernel k\n  frob r0, r1\n  exit\n", "k.wws:2|frob"},
      {".kernel k\n.reg a\n  add.i32 a, b, 1\n  exit\n", "k.wws:3|b"},
      {".kernel k\n.arg a globl\n  exit\n", "k.wws:2|globl"},
      {"  exit\n", "k.wws:1"},
      {".kernel k\n  bra nowhere\n  exit\n", "k.wws:2|nowhere"},
      {".kernel k\n  exit\n.kernel k\n  exit\n", "k.wws:3|k"},
      {"", "k.wws"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture_folder();
    tool_file("k.wws", rows[i].text);
    ct_note("%s", rows[i].text);
    refuse("run k.wws --global 1", rows[i].parts);
    refuse("asm k.wws -o k.wwo", rows[i].parts);
  }
}

TEST(cli, control_characters_in_input_do_not_break_the_line) {
  fixture_folder();
  tool_file("l.json", "{\"program\": \"kernel.wws\", \"launches\": [], \"machine\": \"a\\nb\\u001b[31m\"}");
  refuse("run l.json", "'a\\x0ab\\x1b[31m'");
}

TEST(cli, a_launch_file_without_program_uses_kernel_wws_or_reports_what_is_missing) {
  tool_folder();
  tool_file("l.json", "{\n\"launches\": []}");
  refuse("run l.json", "l.json:1: 'program' is missing|kernel.wws|.wws (assembly), .wwo (object file)");
}

TEST(cli, a_kernel_too_large_for_any_cu_is_named_as_the_cause) {
  tool_folder();
  tool_file("tile.wws", ".kernel tile\n.lds room 100000\n  exit\n");
  refuse("run tile.wws --global 64", "warpwait: tile.wws: kernel 'tile' needs 100096 bytes of LDS (100000 declared, in "
                                     "units of cu.lds_unit and of a row of banks); lds.size is 65536");
  refuse("run tile.wws --global 64 --set cu.lds_reserved=1K",
         "needs 101120 bytes of LDS (100000 declared and cu.lds_reserved, "
         "1024, in units");
  tool_file("l.json", "{\"program\": \"tile.wws\",\n\"launches\": [{\"kernel\": \"tile\", \"global\": [64]}]}");
  refuse("run l.json", "l.json:2: launches[0].kernel: kernel 'tile' needs 100096 bytes");
  tool_file("wide.wws", ".kernel wide\n.reg a[200]\n  exit\n");
  refuse("run wide.wws --global 64 --set cu.registers=1024",
         "warpwait: wide.wws: kernel 'wide' needs 6400 registers a warp (200 a lane|cu.registers is 1024");
}

TEST(cli, typed_arguments_may_differ_in_sign_but_not_in_kind) {
  static const struct {
    const char *type, *argument;
    bool legal;
  } rows[] = {{"u32", "int:3", true},       {"s32", "uint:3", true},       {"f32", "float:3", true},
              {"f32", "int:3", false},      {"u32", "float:3", false},     {"f16", "short:3", false},
              {"s16", "half:3", false},     {"f64", "double:1", true},     {"f32", "bytes:00000000", true},
              {"f32x2", "int2:1,2", false}, {"f32x2", "float2:1,2", true}, {"bytes 4", "float:3", true},
              {"bytes 4", "int:3", true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[100], arguments[100];
    tool_folder();
    snprintf(text, sizeof text, ".kernel k\n.arg n %s\n  exit\n", rows[i].type);
    snprintf(arguments, sizeof arguments, "run k.wws --global 4 --arg %s", rows[i].argument);
    tool_file("k.wws", text);
    ct_freed(outcome_free) struct outcome outcome = tool(arguments);
    ct_note("%s for %s: %s", rows[i].argument, rows[i].type, outcome.err);
    EXPECT_EQ(outcome.status, rows[i].legal ? 0 : 2);
    EXPECT_EQ(lines(outcome.err), rows[i].legal ? 0 : 1);
  }
}

/* Reading them used to take quadratic time. */
TEST(bad_input, more_buffers_than_a_kernel_can_name_are_refused) {
  enum { MOST = 4096, NAME = 32 };
  fixture_folder();
  ct_freed(ct_free) char *text = calloc(MOST + 10, NAME);
  size_t used = (size_t)sprintf(text, "{\"program\": \"kernel.wws\", \"buffers\": {");
  for (int i = 0; i <= MOST; i++)
    used += (size_t)sprintf(text + used, "\"b%d\": {\"bytes\": 4},", i);
  sprintf(text + used - 1, "}, \"launches\": []}");
  tool_file("many.json", text);
  refuse("run many.json", "many.json:1: buffers.b4096.bytes: more than 4096 buffers\n");
}

TEST(bad_input, running_a_trace_names_the_verbs_that_take_it) {
  fixture_folder();
  tool_file("t.wwt", "");
  refuse("run t.wwt", "'t.wwt' is a trace; use `warpwait replay` or `warpwait explain`");
  refuse("check t.wwt", "is a trace; use `warpwait replay`");
}

TEST(help, each_verb_accepts_h_for_help) {
  static const char *const verbs[] = {"run", "replay", "trace info", "sweep run", "asm"};
  tool_folder();
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    char words[32];
    snprintf(words, sizeof words, "%s -h", verbs[i]);
    ct_freed(outcome_free) struct outcome outcome = tool(words);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_CONTAINS(outcome.out, "Usage: warpwait ");
    EXPECT_STREQ(outcome.err, "");
  }
}
