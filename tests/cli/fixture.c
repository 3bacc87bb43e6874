#include "tests/cli/fixture.h"

#include <stdint.h>

#include "tests/cli/tool.h"

const char fixture_kernel[] = ".kernel plus\n"
                              ".arg data global\n"
                              ".arg add u32\n"
                              ".arg room local\n"
                              ".reg i, v\n"
                              ".reg64 p\n"
                              "  ld.arg.b64 p, data\n"
                              "  get.global_id i, x\n"
                              "  mad.wide.u32 p, i, 4, p\n"
                              "  ld.global.b32 v, [p]\n"
                              "  ld.arg.b32 i, add\n"
                              "  add.i32 v, v, i\n"
                              "  st.global.b32 [p], v\n"
                              "  exit\n";

const char fixture_launch[] =
    "{\n"
    "  \"program\": \"kernel.wws\",\n"
    "  \"buffers\": { \"data\": { \"bytes\": 256, \"elem\": \"uint\", \"fill\": \"iota\" } },\n"
    "  \"launches\": [ { \"kernel\": \"plus\", \"global\": [64], \"local\": [64],\n"
    "    \"args\": [ { \"buffer\": \"data\" }, { \"uint\": 5 }, { \"local\": 64 } ] } ]%s\n"
    "}\n";

void fixture_folder(void) {
  tool_folder();
  tool_file("kernel.wws", fixture_kernel);
}

void fixture_expected(void) {
  uint32_t data[64];
  for (uint32_t i = 0; i < 64; i++)
    data[i] = i + 5;
  tool_bytes("good.bin", data, sizeof data);
  data[17] = 1000;
  tool_bytes("bad.bin", data, sizeof data);
}
