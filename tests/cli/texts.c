/* Numbers and lines as reports print them. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "tests/ct.h"

TEST(texts, thousands_are_separated) {
  EXPECT_STREQ(TEXT_WHOLE(0), "0");
  EXPECT_STREQ(TEXT_WHOLE(999), "999");
  EXPECT_STREQ(TEXT_WHOLE(1000), "1,000");
  EXPECT_STREQ(TEXT_WHOLE(-100), "-100");
  EXPECT_STREQ(TEXT_WHOLE(-1234567), "-1,234,567");
  EXPECT_STREQ(TEXT_WHOLE(INT64_MIN), "-9,223,372,036,854,775,808");
}

static void expect_folded(const char *lines, size_t indent, const char *wanted) {
  struct text text = {0};
  text_print(&text, "before\n");
  const size_t from = text.length;
  text_print(&text, "%s", lines);
  text_fold(&text, from, indent);
  EXPECT_STREQ(text.data + from, wanted);
  EXPECT_EQ(strncmp(text.data, "before\n", from), 0);
  free(text.data);
}

#define TEN "123456789 "
#define EIGHTY TEN TEN TEN TEN TEN TEN TEN TEN

TEST(texts, a_line_is_folded_at_the_last_blank_within_100_columns) {
  expect_folded(EIGHTY TEN "1234567890\n", 4, EIGHTY TEN "1234567890\n");
  expect_folded(EIGHTY "123456789 12345678901\nnext\n", 4, EIGHTY "123456789\n    12345678901\nnext\n");
  expect_folded(EIGHTY TEN "12345678 9 " EIGHTY TEN "12 45", 8, /* folded lines have less room */
                EIGHTY TEN "12345678 9\n        " EIGHTY TEN "12\n        45");
}

TEST(texts, a_number_stays_with_its_percent) {
  expect_folded(EIGHTY TEN "1234 43.6 % more", 0, EIGHTY TEN "1234\n43.6 % more");
}

TEST(texts, a_character_of_several_bytes_is_one_column) {
  expect_folded("  |▁▂▃▄▅▆▇█▁▂▃▄▅▆▇█▁▂▃▄▅▆▇█▁▂▃▄▅▆▇█| peak of 4\n", 4,
                "  |▁▂▃▄▅▆▇█▁▂▃▄▅▆▇█▁▂▃▄▅▆▇█▁▂▃▄▅▆▇█| peak of 4\n");
}

TEST(texts, text_that_fits_or_has_no_blank_is_not_folded) {
  static const char word[] = "1234567890123456789012345678901234567890123456789012345678901234567890"
                             "123456789012345678901234567890123456789";
  expect_folded("", 4, "");
  expect_folded("short\n\n  shorter\n", 4, "short\n\n  shorter\n");
  expect_folded(word, 4, word);
}

/* The C library's strerror() is the reference; it is safe here because there is only one thread. */
TEST(texts, system_errors_use_the_systems_words) {
  for (int error = 1; error <= EHWPOISON; error++) {
    const bool known = strerrorname_np(error);
    ct_note("error %d", error);
    EXPECT_STREQ(text_errno(error), known ? strerror(error) : "an error without a name");
  }
  EXPECT_STREQ(text_errno(ENOENT), "No such file or directory");
}
