// GoogleTest behind the C macros of ct.h. It adapts and never decides.
#include "tests/ct.h"
#include "tests/kernels.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace {

std::string note;
const std::filesystem::path root = std::filesystem::current_path(); // tests may leave it
std::map<std::string, std::string> kernels; // by the path before the extension, ':' and the name

// Reads the sections of a file.
void read_kernels(const std::string &path, const std::string &key, const std::string &mark) {
  std::ifstream file(root / path);
  std::string *kernel = nullptr;
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, mark.size(), mark) == 0)
      kernel = &kernels[key + line.substr(mark.size())];
    else if (kernel)
      *kernel += line + "\n";
}

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> found;
  for (char **entry = environ; *entry; entry++)
    if (const char *end = strchr(*entry, '='))
      found[std::string(*entry, static_cast<size_t>(end - *entry))] = end + 1;
  return found;
}

// A test may change the environment and the working directory, but not for those after it.
class CTest : public testing::Test {
public:
  explicit CTest(ct_function function) : function_(function) {}
  void TestBody() override {
    const auto before = environment();
    note.clear();
    function_();
    std::filesystem::current_path(root);
    const auto after = environment();
    for (const auto &[name, value] : after)
      if (!before.count(name))
        unsetenv(name.c_str());
    for (const auto &[name, value] : before)
      if (!after.count(name) || after.at(name) != value)
        setenv(name.c_str(), value.c_str(), 1);
  }

private:
  ct_function function_;
};

bool report(bool passed, const char *file, int line, const std::string &what) {
  if (!passed)
    ADD_FAILURE_AT(file, line) << what << (note.empty() ? "" : "\n  with: " + note);
  return passed;
}

} // namespace

extern "C" {

// Replaces the C library's qsort() in every test: elements that compare equal come out in the opposite order. A result
// that depends on their order would differ between C libraries.
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *bytes = static_cast<char *>(base);
  for (size_t i = 0; i < count / 2; i++)
    std::swap_ranges(bytes + i * size, bytes + (i + 1) * size, bytes + (count - 1 - i) * size);
  qsort_r(
      base, count, size,
      [](const void *a, const void *b, void *how) {
        return (*static_cast<int (**)(const void *, const void *)>(how))(a, b);
      },
      &compare);
}

void ct_register(const char *suite, const char *name, const char *file, int line, ct_function function) {
  testing::RegisterTest(suite, name, nullptr, nullptr, file, line, [=]() -> CTest * { return new CTest(function); });
}

bool ct_true(bool passed, const char *text, const char *file, int line) {
  return passed ? true : report(false, file, line, std::string("expected: ") + text);
}

bool ct_compare(int64_t a, int64_t b, const char *op, const char *a_text, const char *b_text, const char *file,
                int line) {
  bool passed = !strcmp(op, "==")   ? a == b
                : !strcmp(op, "!=") ? a != b
                : !strcmp(op, "<")  ? a < b
                : !strcmp(op, "<=") ? a <= b
                : !strcmp(op, ">")  ? a > b
                                    : a >= b;
  return passed ? true
                : report(false, file, line,
                         std::string("expected: ") + a_text + " " + op + " " + b_text +
                             "\n  got: " + std::to_string(a) + " and " + std::to_string(b));
}

bool ct_string(const char *a, const char *b, const char *a_text, const char *b_text, const char *file, int line) {
  bool passed = a && b ? !strcmp(a, b) : a == b;
  return passed ? true
                : report(false, file, line,
                         std::string("expected: ") + a_text + " == " + b_text + "\n  got: \"" + (a ? a : "(null)") +
                             "\"\n  and: \"" + (b ? b : "(null)") + "\"");
}

bool ct_contains(const char *text, const char *part, const char *file, int line) {
  bool passed = text && strstr(text, part);
  return passed ? true
                : report(false, file, line,
                         std::string("expected to find: \"") + part + "\"\n  in: \"" + (text ? text : "(null)") + "\"");
}

const char *ct_kernel(const char *file, const char *name) {
  const std::string base(file, strrchr(file, '.')), key = base + ":";
  if (!kernels.count(key)) { // not read yet
    kernels[key];
    read_kernels(base + ".cl", key, "//// ");
    read_kernels(base + ".wws", key, ";;;; ");
    read_kernels(base + ".ll", key, ";;;; ");
  }
  const auto found = kernels.find(key + name);
  if (found != kernels.end())
    return found->second.c_str();
  ADD_FAILURE_AT(file, 0) << "no kernel " << name << " in " << base << ".cl, .wws or .ll";
  return "";
}

void ct_note(const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  note = text;
}

} // extern "C"

// In tests with SystemC, libsystemc has its own main(); this one wins.
int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
