/* Images on the command line and in launch files: reading pictures, writing pictures, and errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"

/* Copies an image, texel by texel. */
static const char copy[] =
    ".kernel copy\n.arg from image2d\n.arg to image2d\n.reg v[4], s, x, y\n.reg64 p, q, at\n ld.arg.b64 p, from\n"
    " ld.arg.b64 q, to\n get.global_id x, x\n get.global_id y, y\n pack.b64 at, x, y\n"
    " image.load.2d v, [p], s, at, as=float\n image.store.2d [q], at, v, as=float\n exit\n";

#define RUN "run copy.wws --why=no --global 3,2 "

/* Three by two pixels, one channel. */
static const char gray[] = "P5\n# by hand\n3 2\n255\nABCDEF";
static const char colors[] = "P6 3 2 255\nrgbRGBabcABCxyzXYZ";
static const char wide[] = "P5\n3 2\n65535\nAaBbCcDdEeFf";

static void files(void) {
  tool_folder();
  tool_file("copy.wws", copy);
  tool_file("gray.pgm", gray);
  tool_file("colors.ppm", colors);
  tool_file("wide.pgm", wide);
}

/* The file's contents after its header. */
static void expect_samples(const char *file, const char *header, const char *samples) {
  ct_freed(ct_free) char *text = tool_read(file);
  ct_note("%s", file);
  EXPECT_EQ(strncmp(text, header, strlen(header)), 0);
  EXPECT_STREQ(text + strlen(header), samples);
}

static void expect_good(const char *arguments) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("%s: %s", arguments, outcome.err);
  EXPECT_EQ(outcome.status, 0);
}

TEST(images, a_picture_survives_a_round_trip) {
  files();
  expect_good(RUN
              "--arg image:a=@gray.pgm:r.unorm_int8 --arg image:b=3x2:r.unorm_int8 --dump b=out.pgm --dump b=out.png");
  expect_samples("out.pgm", "P5\n3 2\n255\n", "ABCDEF");
  expect_good(RUN "--arg image:a=@out.png:rgba.unorm_int8 --arg image:b=3x2:r.unorm_int8 --dump b=again.pgm");
  expect_samples("again.pgm", "P5\n3 2\n255\n", "ABCDEF");
  expect_good(RUN
              "--arg image:a=@wide.pgm:r.unorm_int16 --arg image:b=3x2:r.unorm_int16 --dump b=out.png --dump b=w.pgm");
  expect_samples("w.pgm", "P5\n3 2\n65535\n", "AaBbCcDdEeFf");
  expect_good(RUN "--arg image:a=@out.png:r.unorm_int16 --arg image:b=3x2:r.unorm_int16 --dump b=w.pgm");
  expect_samples("w.pgm", "P5\n3 2\n65535\n", "AaBbCcDdEeFf");
  expect_good(RUN "--arg image:a=@colors.ppm --arg image:b=3x2 --dump b=out.png");
  expect_good(RUN "--arg image:a=@out.png:bgra.unorm_int8 --arg image:b=3x2:rgb.unorm_int_101010 --dump b=out.ppm");
  expect_samples("out.ppm", "P6\n3 2\n255\n", "rgbRGBabcABCxyzXYZ");
}

TEST(images, other_files_have_texels_without_gaps) {
  files();
  expect_good(RUN "--arg image:a=@colors.ppm --arg image:b=3x2 --dump b=out.raw");
  expect_samples("out.raw", "", "rgb\377RGB\377abc\377ABC\377xyz\377XYZ\377");
  tool_file("launch.json", "{\"program\": \"copy.wws\", \"set\": {\"texture.layout\": \"blocks\"},\n"
                           " \"images\": {\"a\": {\"width\": 3, \"height\": 2, \"file\": \"out.raw\"},\n"
                           "            \"b\": {\"width\": 3, \"height\": 2, \"format\": \"abgr.unorm_int8\"}},\n"
                           " \"launches\": [{\"kernel\": \"copy\", \"global\": [3, 2], \"args\": [{\"image\": \"a\"}, "
                           "{\"image\": \"b\"}]}],\n"
                           " \"check\": [{\"image\": \"b\", \"expected\": \"colors.ppm\"}]}\n");
  expect_good("run launch.json --why=no --verify --dump b=out2.raw");
  expect_samples("out2.raw", "", "\377bgr\377BGR\377cba\377CBA\377zyx\377ZYX");
}

/* Texel i has the value i in either layout. */
TEST(images, a_fill_writes_texels_and_not_the_padding) {
  static const char *const layouts[] = {"rows", "blocks"};
  const float floats[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    char arguments[300], launch[600];
    files();
    snprintf(arguments, sizeof arguments,
             RUN "--set texture.layout=%s --arg image:a=3x2:rg.float:iota --arg image:b=3x2:rg.float --dump b=b.raw "
                 "--dump a=a.raw",
             layouts[i]);
    expect_good(arguments);
    char *a = tool_read("a.raw"), *b = tool_read("b.raw");
    EXPECT_EQ(memcmp(a, floats, sizeof floats), 0);
    EXPECT_EQ(memcmp(b, floats, sizeof floats), 0);
    free(a);
    free(b);
    snprintf(launch, sizeof launch,
             "{\"program\": \"copy.wws\", \"set\": {\"texture.layout\": \"%s\"},\n"
             " \"images\": {\"a\": {\"width\": 3, \"height\": 2, \"format\": \"r.unorm_int8\", \"fill\": \"iota\"},\n"
             "            \"b\": {\"width\": 3, \"height\": 2, \"format\": \"r.unorm_int8\"}},\n"
             " \"launches\": [{\"kernel\": \"copy\", \"global\": [3, 2], \"args\": [{\"image\": \"a\"}, "
             "{\"image\": \"b\"}]}]}\n",
             layouts[i]);
    tool_file("fill.json", launch);
    expect_good("run fill.json --why=no --dump b=b.raw");
    b = tool_read("b.raw");
    EXPECT_EQ(memcmp(b, "\0\1\2\3\4\5", 6), 0);
    free(b);
  }
}

/* Their products have more than 64 bits; those of the first two are small again if they wrap. */
TEST(images, sizes_whose_product_does_not_fit_are_refused) {
  static const char *const sizes[] = {
      "\"width\": 78631636, \"height\": 160, \"layers\": 91639444",
      "\"width\": 67108864, \"height\": 128, \"layers\": 134217728",
      "\"width\": 134217728, \"height\": 134217728, \"layers\": 134217728",
  };
  files();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char launch[400];
    snprintf(launch, sizeof launch,
             "{\"program\": \"copy.wws\", \"images\": {\"a\": {\"kind\": \"2d_array\", \"format\": \"rgba.float\", "
             "%s, \"fill\": \"random\"}},\n \"launches\": [{\"kernel\": \"copy\", \"global\": [1]}]}\n",
             sizes[i]);
    tool_file("huge.json", launch);
    ct_freed(outcome_free) struct outcome outcome = tool("run huge.json --confined");
    ct_note("%s: %s", sizes[i], outcome.err);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(strstr(outcome.err, "huge.json:1: images.a: ") && strstr(outcome.err, "less than 2^40 bytes\n"));
  }
}

TEST(images, errors_are_reported_in_one_line) {
  static const struct {
    const char *arguments, *message;
  } rows[] = {
      {"--arg image:a=@gone.png", "--arg image:a=@gone.png: gone.png: No such file or directory"},
      {"--arg image:a=@copy.wws", "--arg image:a=@copy.wws: copy.wws: neither a PNG nor a binary PGM or PPM (P5, P6)"},
      {"--arg image:a=@short.pgm",
       "--arg image:a=@short.pgm: short.pgm: the picture is cut off: 3 x 2 pixels take 6 bytes"},
      {"--arg image:a=@most.pgm", "--arg image:a=@most.pgm: most.pgm: samples up to 15; legal: up to 255 or 65535"},
      {"--arg image:a=@none.pgm",
       "--arg image:a=@none.pgm: none.pgm: a picture must have 1 to 65535 pixels in each direction"},
      {"--arg image:a=@text.pgm", "--arg image:a=@text.pgm: text.pgm: neither a PNG nor a binary PGM or PPM (P5, P6)"},
      {"--arg image:a=@close.pgm",
       "--arg image:a=@close.pgm: close.pgm: neither a PNG nor a binary PGM or PPM (P5, P6)"},
      {"--arg image:a=@after.pgm",
       "--arg image:a=@after.pgm: after.pgm: byte 0x58 follows the header; legal: one character of white space"},
      {"--arg image:a=@nul0.pgm", "--arg image:a=@nul0.pgm: nul0.pgm: neither a PNG nor a binary PGM or PPM (P5, P6)"},
      {"--arg image:a=@nul1.pgm",
       "--arg image:a=@nul1.pgm: nul1.pgm: a picture must have 1 to 65535 pixels in each direction"},
      {"--arg image:a=@nul2.pgm",
       "--arg image:a=@nul2.pgm: nul2.pgm: byte 0x00 follows the header; legal: one character of white space"},
      {"--arg image:a=@bad.png", "--arg image:a=@bad.png: bad.png: not a valid PNG: it is cut off"},
      {"--arg image:a=3x2:r.unorm",
       "--arg image:a=3x2:r.unorm: no channel type 'unorm'; legal: snorm_int8, snorm_int16, unorm_int8, unorm_int16, "
       "unorm_short_565, unorm_short_555, unorm_int_101010, signed_int8, signed_int16, signed_int32, unsigned_int8, "
       "unsigned_int16, unsigned_int32, half_float, float, unorm_int_101010_2"},
      {"--arg image:a=3x2:rgbb.float",
       "--arg image:a=3x2:rgbb.float: no channel order 'rgbb'; did you mean 'rgb' or 'rgba'?"},
      {"--arg image:a=3x2:rgb.float",
       "--arg image:a=3x2:rgb.float: channel order rgb cannot be combined with channel type float"},
      {"--arg image:a=3x0", "--arg image:a=3x0: '0' is not a number of [1, 134217728] texels"},
      {"--arg image:a=3", "--arg image:a=3: 1 sizes, but a 2d image has 2: x, y"},
      {"--arg image:b", "--arg image:b: no image 'b'; there are no images"},
      {"--arg sampler:nearest,linnear",
       "--arg sampler:nearest,linnear: a sampler has no 'linnear'; did you mean 'linear'?"},
      {"--arg sampler:clamp,clamp_to_edge",
       "--arg sampler:clamp,clamp_to_edge: a sampler cannot be both 'clamp' and 'clamp_to_edge'"},
      {"--arg sampler:linear,normalized,nearest",
       "--arg sampler:linear,normalized,nearest: a sampler cannot be both 'linear' and 'nearest'"},
      {"--arg sampler:linear",
       "--arg sampler:linear: a sampler does not fit: the kernel's argument 'from' is an image (image2d, 8 bytes)"},
      {"--arg image:a=3x2 --arg image:a=3x2", "--arg image:a=3x2: 'a' is already defined"},
      {"--arg image:a=@colors.ppm --arg image:b=3x2 --dump b=b.pgm",
       "--dump: 4 channels do not fit a .pgm, which has 1; a .png takes any"},
  };
  files();
  tool_file("short.pgm", "P5 3 2 255\nABC");
  tool_file("most.pgm", "P5 3 2 15\nABCDEF");
  tool_file("none.pgm", "P5 x 2 255\nABCDEF");
  tool_file("text.pgm", "P5X3 2 255\nABCDEF");
  tool_file("close.pgm", "P53 2 255\nABCDEF");
  tool_file("after.pgm", "P5 3 2 255X");
  tool_bytes("nul0.pgm",
             "P5\0"
             "3 2 255\nABCDEF",
             17);
  tool_bytes("nul1.pgm",
             "P5 3\0"
             "2 255\nABCDEF",
             17);
  tool_bytes("nul2.pgm", "P5 3 2 255\0ABCDEF", 17);
  tool_file("bad.png", "\x89PNG\r\n\x1a\nABC");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char arguments[400], expected[400];
    snprintf(arguments, sizeof arguments, RUN "%s", rows[i].arguments);
    snprintf(expected, sizeof expected, "warpwait: %s\n", rows[i].message);
    ct_freed(outcome_free) struct outcome outcome = tool(arguments);
    ct_note("%s", arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_STREQ(outcome.err, expected);
  }
}
