/* tools/playground/ini.c compared with inih: the same keys and values, and the same line with an error, for any text.
 */
#include "sim/launch/machines.h"
#include "tests/ct.h"
#include "tests/playground/told.h"

static void expect_the_same(const char *text) {
  static struct told theirs, ours;
  const bool same = told_the_same(text, &ours, &theirs);
  ct_note("%s", text);
  EXPECT_STREQ(ours.text, theirs.text);
  EXPECT_TRUE(same);
}

TEST(playground, machine_files_parse_as_inih_parses_them) {
  for (size_t i = 0; i < preset_count; i++)
    expect_the_same(presets[i].text);
}

TEST(playground, odd_lines_parse_as_inih_parses_them) {
  static const char *const texts[] = {
      "",
      "\n\n",
      "\xEF\xBB\xBF[a]\nb=c",
      "[a]\n\xEF\xBB\xBF[b]",
      "[a",
      "[a ;b]",
      "[a;b]\nc=d",
      "[ a ]\n b = c \n d",
      "a",
      "a:b",
      "a=b=c",
      "=b",
      " a=b",
      "a=b ;c",
      "a=b;c",
      "a=b\n  more ; not this\n\tand more\n[c]\n d=e",
      "x=1\nb",
      "x=1\n more",
      "; a=b\n#c=d\n a ; b = c",
      "a ;=b",
      "[]\na=",
      "a=\"b ; c\"",
      "[a] b=c\nd=e",
      "0123456789012345678901234567890123456789012345678901234567890123456789=long\n more",
      "[0123456789012345678901234567890123456789012345678901234567890123456789]\na=b",
      "a=b\r\nc=d\r\n\r\n e\r\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    expect_the_same(texts[i]);
}

TEST(playground, random_texts_parse_as_inih_parses_them) {
  static const char letters[] = "ab x[];#=: \t\n\n\r\"\v9\xEF\xBB\xBF";
  char text[400];
  uint32_t random = 1;
  for (int i = 0; i < 3000; i++) {
    size_t length = 0, most = (size_t)i % (sizeof text - 1);
    for (; length < most; length++) {
      random = random * 1664525 + 1013904223;
      text[length] = letters[(random >> 16) % (sizeof letters - 1)];
    }
    text[length] = '\0';
    expect_the_same(text);
  }
}
