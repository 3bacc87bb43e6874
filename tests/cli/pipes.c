/* Pipes in launch files and on the command line: what is legal, which errors are reported, what is dumped. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

/* put: every work-item writes its number. get: every work-item reads a packet, or leaves 99. */

/* The test's folder with a launch file: pipes p of 40 packets and q, a buffer, the launches, and more keys. */
static const char *folder;

static void write_launch(const char *pipes, const char *launches, const char *more) {
  char text[3000];
  folder = tool_folder();
  tool_file("kernel.wws", CT_KERNEL(kernels));
  snprintf(text, sizeof text,
           "{\"program\": \"kernel.wws\", \"buffers\": {\"out\": {\"bytes\": 128, \"elem\": \"uint\"}},\n\"pipes\": "
           "%s,\n\"launches\": [%s]%s}",
           pipes, launches, more);
  tool_file("l.json", text);
}

#define PIPES "{\"p\": {\"packet_size\": 4, \"max_packets\": 40}, \"q\": {\"packet_size\": 12, \"max_packets\": 1}}"
#define PUT "{\"kernel\": \"put\", \"global\": [64], \"local\": [32], \"args\": [{\"pipe\": \"p\"}]}"
#define GET                                                                                                            \
  "{\"kernel\": \"get\", \"global\": [32], \"local\": [32], \"args\": [{\"pipe\": \"p\"}, {\"buffer\": \"out\"}]}"

/* Reads a file of the folder as up to 64 numbers. */
static size_t read_numbers(const char *name, uint32_t numbers[64]) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  const size_t count = file ? fread(numbers, sizeof *numbers, 64, file) : 0;
  EXPECT_TRUE(file != NULL);
  if (file)
    fclose(file);
  return count;
}

static void write_numbers(const char *name, uint32_t first, uint32_t count, bool backwards) {
  uint32_t numbers[64];
  for (uint32_t i = 0; i < count; i++)
    numbers[i] = first + (backwards ? count - 1 - i : i);
  tool_bytes(name, numbers, count * sizeof *numbers);
}

static struct outcome run(const char *arguments, int status, const char *err) {
  struct outcome outcome = tool(arguments);
  ct_note("warpwait %s\n%s", arguments, outcome.err);
  EXPECT_EQ(outcome.status, status);
  if (*err)
    EXPECT_CONTAINS(outcome.err, err);
  else
    EXPECT_STREQ(outcome.err, "");
  return outcome;
}

TEST(pipes, packets_pass_between_launches_and_the_rest_is_dumped_in_order) {
  write_launch(PIPES, PUT ", " GET, "");
  ct_freed(outcome_free) struct outcome outcome =
      run("run l.json --dump p=p.bin --dump q=q.bin --dump out=out.bin", 0, "");
  EXPECT_CONTAINS(outcome.out, "pipe p: room for 40 packets of 4 bytes; 40 written, 0 read, 40 left");
  EXPECT_CONTAINS(outcome.out, "pipe p: room for 40 packets of 4 bytes; 0 written, 32 read, 8 left");
  EXPECT_CONTAINS(outcome.out, "  24 requests refused, pipe full\n");
  EXPECT_CONTAINS(outcome.out, "  held up to 40 packets (100.0 %), ");
  EXPECT_CONTAINS(outcome.out, "pipe q: room for 1 packet of 12 bytes; 0 written, 0 read, 0 left\n\n====");
  uint32_t numbers[64];
  EXPECT_EQ(read_numbers("p.bin", numbers), 8);
  for (uint32_t i = 0; i < 8; i++)
    EXPECT_EQ(numbers[i], 32 + i);
  EXPECT_EQ(read_numbers("q.bin", numbers), 0);
  EXPECT_EQ(read_numbers("out.bin", numbers), 32);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(numbers[i], i);
}

TEST(pipes, the_json_report_has_the_counters_of_each_launch) {
  write_launch(PIPES, PUT ", " GET, "");
  ct_freed(outcome_free) struct outcome outcome = run("run l.json --report json", 0, "");
  json_error_t error;
  json_t *root = json_loads(outcome.out, 0, &error);
  for (size_t i = 0; i < 2; i++) {
    json_t *launch = json_array_get(json_object_get(root, "launches"), i);
    json_t *pipes = json_object_get(launch, "pipes"), *p = json_array_get(pipes, 0), *q = json_array_get(pipes, 1);
    const double cycles = json_number_value(json_object_get(launch, "cycles"));
    EXPECT_EQ(json_array_size(pipes), 2);
    EXPECT_STREQ(json_string_value(json_object_get(p, "name")), "p");
    EXPECT_EQ(json_integer_value(json_object_get(p, "written")), i ? 0 : 40);
    EXPECT_EQ(json_integer_value(json_object_get(p, "read")), i ? 32 : 0);
    EXPECT_EQ(json_integer_value(json_object_get(p, "full")), i ? 0 : 24);
    EXPECT_EQ(json_integer_value(json_object_get(p, "empty")), 0);
    EXPECT_EQ(json_integer_value(json_object_get(p, "left")), i ? 8 : 40);
    EXPECT_EQ(json_integer_value(json_object_get(p, "most")), 40);
    const double sum = json_number_value(json_object_get(p, "packet_cycles"));
    EXPECT_TRUE(sum > 0 && sum <= 40 * cycles);
    EXPECT_TRUE(fabs(sum / cycles - json_number_value(json_object_get(p, "mean"))) < 1e-6);
    EXPECT_EQ(json_integer_value(json_object_get(q, "packet_cycles")), 0);
    EXPECT_EQ(json_integer_value(json_object_get(q, "packet_size")), 12);
  }
  json_decref(root);
}

TEST(pipes, checks_compare_the_remaining_packets) {
  static const struct {
    const char *check;
    int status;
    const char *err;
  } rows[] = {
      {"{\"pipe\": \"p\", \"expected\": \"rest.bin\"}", 0, ""},
      {"{\"pipe\": \"p\", \"mode\": \"exact\", \"expected\": \"back.bin\"}", 1,
       "element 0 (byte 0): got 32, expected 39"},
      {"{\"pipe\": \"p\", \"mode\": \"multiset\", \"expected\": \"back.bin\"}", 0, ""},
      {"{\"pipe\": \"p\", \"mode\": \"multiset\", \"packet\": 4, \"expected\": \"back.bin\"}", 0, ""},
      {"{\"pipe\": \"p\", \"mode\": \"multiset\", \"packet\": 4, \"expected\": \"other.bin\"}", 1, "p (multiset)"},
      {"{\"pipe\": \"p\", \"mode\": \"multiset\", \"expected\": \"more.bin\"}", 1, "got 8 packets, expected 9"},
      {"{\"pipe\": \"q\", \"expected\": \"empty.bin\"}", 0, ""},
      {"{\"buffer\": \"out\", \"mode\": \"multiset\", \"packet\": 4, \"expected\": \"taken.bin\"}", 0, ""},
      /* not packets of 12 */
      {"{\"pipe\": \"q\", \"expected\": \"rest.bin\"}", 2, "check[0].expected|not a multiple of a packet's 12"},
      {"{\"pipe\": \"p\", \"mode\": \"multiset\", \"packet\": 3, \"expected\": \"rest.bin\"}", 2,
       "check[0].packet: 3|4"},
      {"{\"pipe\": \"pp\", \"expected\": \"rest.bin\"}", 2, "check[0].pipe|no pipe 'pp'|'p'"},
      {"{\"buffer\": \"p\", \"expected\": \"rest.bin\"}", 2, "check[0].buffer|'p' is a pipe, not a buffer"},
      {"{\"buffer\": \"out\", \"pipe\": \"p\", \"expected\": \"rest.bin\"}", 2, "names only one of"},
      {"{\"pipe\": \"p\", \"expected\": \"none.bin\"}", 2, "check[0].expected|none.bin"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char more[400], parts[200];
    snprintf(more, sizeof more, ", \"check\": [%s]", rows[i].check);
    write_launch(PIPES, PUT ", " GET, more);
    write_numbers("rest.bin", 32, 8, false);
    write_numbers("back.bin", 32, 8, true);
    write_numbers("other.bin", 31, 8, false);
    write_numbers("more.bin", 32, 9, false);
    write_numbers("taken.bin", 0, 32, true);
    write_numbers("empty.bin", 0, 0, false);
    ct_note("%s", rows[i].check);
    ct_freed(outcome_free) struct outcome outcome = tool("run l.json --verify");
    EXPECT_EQ(outcome.status, rows[i].status);
    snprintf(parts, sizeof parts, "%s", rows[i].err);
    for (char *part = strtok(parts, "|"); part; part = strtok(NULL, "|"))
      EXPECT_CONTAINS(outcome.err, part);
    if (rows[i].status == 2) /* one line */
      EXPECT_TRUE(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1);
  }
}

/* Each error is one line that names the place. */
TEST(pipes, errors_about_pipes_are_reported_in_one_line) {
  static const struct {
    const char *pipes, *launches, *parts;
  } rows[] = {
      {"[]", PUT, "l.json:2: pipes|object"},
      {"{\"p\": 7}", PUT, "l.json:2: pipes.p|object"},
      {"{\"p\": {\"max_packets\": 4}}", PUT, "pipes.p|'packet_size' is missing"},
      {"{\"p\": {\"packet_size\": 4}}", PUT, "pipes.p|'max_packets' is missing"},
      {"{\"p\": {\"packet_size\": 0, \"max_packets\": 4}}", PUT, "pipes.p.packet_size: 0|[1, 1048576] bytes"},
      {"{\"p\": {\"packet_size\": 4, \"max_packets\": 0}}", PUT, "pipes.p.max_packets: 0|[1, 16777215] packets"},
      {"{\"p\": {\"packet_size\": 4, \"max_packets\": 16777216}}", PUT, "pipes.p.max_packets: 16777216"},
      {"{\"p\": {\"packet_size\": \"4x\", \"max_packets\": 1}}", PUT, "pipes.p.packet_size"},
      {"{\"p\": {\"packet_size\": 1048576, \"max_packets\": 16777215}}", PUT, "pipes.p|outside"},
      {"{\"p\": {\"packet_sise\": 4, \"max_packets\": 1}}", PUT, "pipes.p.packet_sise|'packet_size'"},
      {"{\"out\": {\"packet_size\": 4, \"max_packets\": 1}}", PUT, "pipes.out|'out' is already a buffer"},
      {"{\"r\": {\"packet_size\": 4, \"max_packets\": 1}}", PUT, "launches[0].args[0].pipe|no pipe 'p'|legal: r"},
      {"{}", PUT, "launches[0].args[0].pipe|no pipe 'p'; there are no pipes"},
      {PIPES, "{\"kernel\": \"put\", \"global\": [64], \"args\": [{\"buffer\": \"out\"}]}",
       "args[0].buffer|'p' is a pipe"},
      {PIPES, "{\"kernel\": \"put\", \"global\": [64], \"args\": [{\"ulong\": 1}]}", "args[0].ulong|'p' is a pipe"},
      {PIPES, "{\"kernel\": \"put\", \"global\": [64], \"args\": [{\"buffer\": \"p\"}]}",
       "args[0].buffer|'p' is a pipe, not a buffer"},
      {PIPES, "{\"kernel\": \"put\", \"global\": [64], \"args\": []}",
       "args|argument 1, 'p', a pipe (pipe), is missing"},
      {PIPES, "{\"kernel\": \"get\", \"global\": [64], \"args\": [{\"pipe\": \"p\"}, {\"pipe\": \"q\"}]}",
       "args[1].pipe|a pipe does not fit|'out' is a buffer"},
      {PIPES, "{\"kernel\": \"put\", \"global\": [64], \"args\": [{\"pipe\": 3}]}", "args[0].pipe|string"},
      {PIPES, "{\"kernel\": \"put\", \"global\": [64], \"args\": [{\"pip\": \"p\"}]}", "args[0].pip|'pipe'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char parts[300];
    write_launch(rows[i].pipes, rows[i].launches, "");
    ct_freed(outcome_free) struct outcome outcome = tool("run l.json --dump p=x");
    ct_note("%s %s\n%s", rows[i].pipes, rows[i].launches, outcome.err);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1);
    snprintf(parts, sizeof parts, "%s", rows[i].parts);
    for (char *part = strtok(parts, "|"); part; part = strtok(NULL, "|"))
      EXPECT_CONTAINS(outcome.err, part);
  }
}

TEST(pipes, pipes_can_be_made_on_the_command_line) {
  static const struct {
    const char *arguments;
    int status;
    const char *err;
  } rows[] = {
      {"--kernel put --global 64 --arg pipe:p=4:40 --dump p=p.bin", 0, ""},
      {"--kernel put --global 64 --arg pipe:p=4", 2, "a pipe is NAME=SIZE:COUNT"},
      {"--kernel put --global 64 --arg pipe:p=0:4", 2, "a pipe is NAME=SIZE:COUNT"},
      {"--kernel put --global 64 --arg pipe:p=4:0", 2, "--arg pipe:p=4:0: a pipe is NAME=SIZE:COUNT"},
      {"--kernel put --global 64 --arg pipe:p=4:4x", 2, "a pipe is NAME=SIZE:COUNT"},
      {"--kernel put --global 64 --arg pipe:p", 2, "no pipe 'p'; there are no pipes"},
      {"--kernel put --global 64 --arg buffer:p=64", 2, "a buffer does not fit"},
      {"--kernel get --global 32 --arg pipe:p=4:4 --arg buffer:p=64", 2, "'p' is already a pipe"},
      {"--kernel get --global 32 --arg pipe:p=4:4 --arg pipe:p", 2, "a pipe does not fit"},
      {"--kernel put --global 64 --arg pipe:p=4:4 --dump q=x", 2, "--dump: no buffer 'q'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[300];
    tool_folder();
    tool_file("kernel.wws", CT_KERNEL(kernels));
    snprintf(line, sizeof line, "run kernel.wws %s", rows[i].arguments);
    ct_freed(outcome_free) struct outcome outcome = run(line, rows[i].status, rows[i].err);
  }
}

TEST(pipes, a_spinning_kernel_ends_with_the_pipe_s_name_on_either_host) {
  write_launch(PIPES, "{\"kernel\": \"spin\", \"global\": [32], \"args\": [{\"pipe\": \"q\"}]}", "");
  struct outcome plain = run("run l.json --host plain", 1, "deadlock"),
                 systemc = run("run l.json --host systemc", 1, "deadlock");
  EXPECT_CONTAINS(plain.out, "spins on pipe 'q', which stays empty");
  EXPECT_STREQ(plain.out, systemc.out);
  outcome_free(&plain);
  outcome_free(&systemc);
  ct_freed(outcome_free) struct outcome json = run("run l.json --report json", 1, "deadlock");
  EXPECT_CONTAINS(json.out, "\"stall\": \"pipe_empty\"");
  EXPECT_CONTAINS(json.out, "\"pipe\": \"q\"");
}
