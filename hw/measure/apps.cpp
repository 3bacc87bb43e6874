// Whole kernels on an OpenCL device: builds each case of ../apps, checks its result, and prints the times of its
// launches. A case that cannot be built or has a wrong result prints an error on stderr and no row.
//
//   apps times FOLDER [--pass NAME] [--only WORD] [--define NAME=VALUE] [--ptx FOLDER]
//   apps launch FOLDER PTX [--only WORD]
//
// FOLDER has cases.txt, kernels and results.csv. `times` prints case,pass,median_ns,min_ns,max_ns,launches; with --ptx
// it keeps the PTX that the driver compiled. `launch` passes that to CUDA's driver and launches each case twice,
// because ncu does not support OpenCL; `count` runs it. Buffers contain the same bytes as those of ../apps/inputs.py.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

typedef std::vector<std::string> words;
typedef std::vector<uint8_t> bytes;

static const int WARM = 6, TIMED = 21; // warm-up launches of a case, and timed ones
static const size_t SINGLES = 64;      // elements of a result that are compared one by one

[[noreturn]] static void stop(const std::string &why) {
  fprintf(stderr, "apps: %s\n", why.c_str());
  exit(2);
}
static void need(cl_int error, const char *what) {
  if (error != CL_SUCCESS)
    stop(std::string(what) + ": OpenCL error " + std::to_string(error));
}
static words split(const std::string &text, char at) {
  words parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);)
    if (at != ' ' || !part.empty())
      parts.push_back(part);
  return parts;
}
static std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    stop(path + ": cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// ---- cases ------------------------------------------------------------------------------------

struct argument {
  std::string name, type, contents; // a buffer; without a name, a value
  size_t count = 0;
  bool out = false;
  uint32_t value = 0;
};
struct app {
  std::string name, kernel, options;
  size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  cl_uint axes = 1;
  double tolerance = 0;
  std::vector<argument> arguments;
};

static cl_uint sizes(const std::string &text, size_t *into) {
  words parts = split(text, ',');
  for (size_t i = 0; i < parts.size(); i++)
    into[i] = strtoull(parts[i].c_str(), nullptr, 10);
  return (cl_uint)parts.size();
}
static app head(const words &line) {
  app made;
  made.name = line[1];
  for (size_t i = 2; i < line.size(); i++) {
    size_t at = line[i].find('=');
    std::string key = line[i].substr(0, at), value = line[i].substr(at + 1);
    if (key == "kernel")
      made.kernel = value;
    else if (key == "rtol")
      made.tolerance = atof(value.c_str());
    else if (key == "global")
      made.axes = sizes(value, made.global);
    else if (key == "local")
      sizes(value, made.local);
  }
  return made;
}
static argument operand(const words &line) {
  argument made;
  if (line[0] == "buffer") {
    made.name = line[1];
    made.type = line[2];
    made.count = strtoull(line[3].c_str(), nullptr, 10);
    made.contents = line[4];
    made.out = line.size() > 5;
    return made;
  }
  made.type = line[1];
  float number = strtof(line[2].c_str(), nullptr);
  made.value = (uint32_t)strtoll(line[2].c_str(), nullptr, 10);
  if (made.type == "float")
    memcpy(&made.value, &number, sizeof number);
  return made;
}
static std::vector<app> read_apps(const std::string &path) {
  std::vector<app> apps;
  for (const std::string &text : split(slurp(path), '\n')) {
    words line = split(text.substr(0, text.find('#')), ' ');
    if (line.empty())
      continue;
    if (line[0] == "case")
      apps.push_back(head(line));
    else if (line[0] == "define")
      apps.back().options += " -D" + line[1];
    else
      apps.back().arguments.push_back(operand(line));
  }
  return apps;
}

// ---- contents ---------------------------------------------------------------------------------

static uint32_t mix(uint64_t x) { // SplitMix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return (uint32_t)((x ^ (x >> 31)) >> 16);
}
static size_t lanes(const std::string &type) { return type == "float4" ? 4 : type == "float2" ? 2 : 1; }
static size_t width(const std::string &type) { return type == "uchar" ? 1 : type == "double" ? 8 : 4; }

template <class T, class F> static bytes each(size_t count, F element) {
  bytes data(count * sizeof(T));
  for (size_t i = 0; i < count; i++) {
    T value = (T)element(i);
    memcpy(data.data() + i * sizeof(T), &value, sizeof(T));
  }
  return data;
}
static bytes sparse_rows(size_t count, uint64_t base, uint32_t average, uint32_t kind) {
  uint32_t at = 0, length = 0;
  return each<uint32_t>(count, [&](size_t i) {
    uint32_t bits = mix(base + i);
    at += length;
    length = kind ? 1 + bits % (2 * average - 1) : average;
    if (kind == 2 && (bits >> 16) % 16 == 0)
      length *= 8;
    return at;
  });
}
static bytes cycle(size_t count, uint64_t base) { // Sattolo's shuffle
  std::vector<uint32_t> items(count);
  for (size_t i = 0; i < count; i++)
    items[i] = (uint32_t)i;
  for (size_t i = count - 1; i > 0; i--)
    std::swap(items[i], items[mix(base + i) % i]);
  return each<uint32_t>(count, [&](size_t i) { return items[i]; });
}
static bytes contents(const argument &of, size_t seed) {
  words parts = split(of.contents, ':');
  const std::string &kind = parts[0];
  uint64_t base = (uint64_t)seed << 40;
  size_t count = of.count * lanes(of.type);
  double low = parts.size() > 1 ? atof(parts[1].c_str()) : 0, high = parts.size() > 2 ? atof(parts[2].c_str()) : 0;
  uint32_t below = (uint32_t)low;
  if (kind == "f")
    return each<float>(count, [&](size_t i) { return low + (high - low) * (mix(base + i) >> 8) / 16777216.0; });
  if (kind == "d")
    return each<double>(count, [&](size_t i) { return low + (high - low) * mix(base + i) / 4294967296.0; });
  if (kind == "i" && of.type == "uchar")
    return each<uint8_t>(count, [&](size_t i) { return mix(base + i) % below; });
  if (kind == "i")
    return each<uint32_t>(count, [&](size_t i) { return mix(base + i) % below; });
  if (kind == "iota" && of.type == "float")
    return each<float>(count, [](size_t i) { return i; });
  if (kind == "hot")
    return each<uint32_t>(count, [&](size_t i) {
      uint32_t bits = mix(base + i);
      return bits % 8 ? (bits >> 3) % 4 : (bits >> 3) % below;
    });
  if (kind == "csr")
    return sparse_rows(count, base, below, (uint32_t)high);
  if (kind == "perm")
    return cycle(count, base);
  if (kind != "zero")
    stop("contents " + of.contents + " are unknown");
  return bytes(count * width(of.type));
}

// ---- results ----------------------------------------------------------------------------------

typedef std::map<std::string, std::vector<double>> digests; // by case and buffer

static double element(const std::string &type, const bytes &data, size_t i) {
  const uint8_t *at = data.data() + i * width(type);
  float single;
  double number;
  uint32_t whole;
  if (type == "uchar")
    return *at;
  memcpy(&single, at, 4);
  memcpy(&whole, at, 4);
  if (type != "double")
    return type[0] == 'f' ? single : whole;
  memcpy(&number, at, 8);
  return number;
}
static std::vector<double> digest(const std::string &type, const bytes &data) {
  size_t count = data.size() / width(type);
  std::vector<double> made(3);
  for (size_t i = 0; i < count; i++) {
    double value = element(type, data, i);
    made[0] += value;
    made[1] += fabs(value);
    made[2] += value * (mix(i) & 1023);
  }
  for (size_t k = 0; k < SINGLES; k++)
    made.push_back(element(type, data, mix(k * 7919) % count));
  return made;
}
static bool alike(const std::vector<double> &expected, const std::vector<double> &found, double tolerance) {
  for (size_t k = 0; k < expected.size(); k++) {
    double room = k == 2 ? 1023 * expected[1] : k < 2 ? expected[1] : std::max(1.0, fabs(expected[k]));
    if (!(fabs(expected[k] - found[k]) <= tolerance * room + 1e-6))
      return false;
  }
  return expected.size() == found.size();
}
static digests read_results(const std::string &path) {
  digests results;
  for (const std::string &line : split(slurp(path), '\n')) {
    words fields = split(line, ',');
    for (size_t i = 2; i < fields.size(); i++)
      results[fields[0] + "." + fields[1]].push_back(atof(fields[i].c_str()));
  }
  return results;
}

// ---- times, by OpenCL ---------------------------------------------------------------------------

static std::map<std::string, std::string> options;
static bool wanted(const app &one) { return one.name.find(options["only"]) != std::string::npos; }

struct device {
  cl_device_id id = nullptr;
  cl_context context;
  cl_command_queue queue;
};
static device find_device() {
  cl_uint count = 0;
  need(clGetPlatformIDs(0, nullptr, &count), "platforms");
  std::vector<cl_platform_id> platforms(count);
  need(clGetPlatformIDs(count, platforms.data(), nullptr), "platforms");
  device made;
  for (cl_device_type type : {(cl_device_type)CL_DEVICE_TYPE_GPU, (cl_device_type)CL_DEVICE_TYPE_ALL})
    for (cl_platform_id platform : platforms)
      if (!made.id && clGetDeviceIDs(platform, type, 1, &made.id, nullptr) != CL_SUCCESS)
        made.id = nullptr;
  if (!made.id)
    stop("no OpenCL device");
  char name[256] = "", driver[256] = "";
  clGetDeviceInfo(made.id, CL_DEVICE_NAME, sizeof name, name, nullptr);
  clGetDeviceInfo(made.id, CL_DRIVER_VERSION, sizeof driver, driver, nullptr);
  printf("# %s, driver %s\n", name, driver);
  cl_int error;
  made.context = clCreateContext(nullptr, 1, &made.id, nullptr, nullptr, &error);
  need(error, "context");
  made.queue = clCreateCommandQueue(made.context, made.id, CL_QUEUE_PROFILING_ENABLE, &error);
  need(error, "queue");
  return made;
}
static cl_program build(const device &on, const app &one, const std::string &folder) {
  std::string source = slurp(folder + "/kernels/" + one.kernel + ".cl"), words = one.options;
  if (options.count("define"))
    words += " -D" + options["define"];
  const char *text = source.c_str();
  size_t length = source.size();
  cl_int error;
  cl_program program = clCreateProgramWithSource(on.context, 1, &text, &length, &error);
  need(error, "program");
  if (clBuildProgram(program, 1, &on.id, words.c_str(), nullptr, nullptr) == CL_SUCCESS)
    return program;
  std::vector<char> log(1 << 16);
  clGetProgramBuildInfo(program, on.id, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
  fprintf(stderr, "%s: not built\n%s\n", one.name.c_str(), log.data());
  return nullptr;
}
static void keep_binary(cl_program program, const std::string &path) {
  size_t length = 0;
  need(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, nullptr), "size of a binary");
  std::vector<char> data(length);
  char *at = data.data();
  need(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr), "binary");
  std::ofstream(path, std::ios::binary).write(at, (std::streamsize)strnlen(at, length));
}
static std::vector<cl_mem> give(const device &on, const app &one, cl_kernel kernel) {
  std::vector<cl_mem> memory(one.arguments.size());
  for (cl_uint i = 0; i < memory.size(); i++) {
    const argument &of = one.arguments[i];
    if (of.name.empty()) {
      need(clSetKernelArg(kernel, i, sizeof of.value, &of.value), "argument");
      continue;
    }
    bytes data = contents(of, i + 1);
    cl_int error;
    memory[i] = clCreateBuffer(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.size(), data.data(), &error);
    need(error, "buffer");
    need(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]), "argument");
  }
  return memory;
}
static double launch(const device &on, const app &one, cl_kernel kernel) {
  cl_event event;
  cl_ulong begin, end;
  need(clEnqueueNDRangeKernel(on.queue, kernel, one.axes, nullptr, one.global, one.local, 0, nullptr, &event),
       one.name.c_str());
  need(clWaitForEvents(1, &event), one.name.c_str());
  need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr), "time");
  need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), "time");
  clReleaseEvent(event);
  return (double)(end - begin);
}
static bool right(const device &on, const app &one, const std::vector<cl_mem> &memory, digests &results) {
  for (size_t i = 0; i < memory.size(); i++) {
    const argument &of = one.arguments[i];
    if (!of.out)
      continue;
    bytes data(of.count * lanes(of.type) * width(of.type));
    need(clEnqueueReadBuffer(on.queue, memory[i], CL_TRUE, 0, data.size(), data.data(), 0, nullptr, nullptr), "result");
    if (!alike(results[one.name + "." + of.name], digest(of.type, data), one.tolerance)) {
      fprintf(stderr, "%s: %s is wrong\n", one.name.c_str(), of.name.c_str());
      return false;
    }
  }
  return true;
}
static bool measure(const device &on, const app &one, const std::string &folder, digests &results) {
  cl_program program = build(on, one, folder);
  if (!program)
    return false;
  if (options.count("ptx"))
    keep_binary(program, options["ptx"] + "/" + one.name + ".ptx");
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, one.kernel.c_str(), &error);
  need(error, "kernel");
  std::vector<cl_mem> memory = give(on, one, kernel);
  launch(on, one, kernel);
  bool good = right(on, one, memory, results);
  std::vector<double> times;
  for (int i = 1; good && i < WARM + TIMED; i++) {
    double took = launch(on, one, kernel);
    if (i >= WARM)
      times.push_back(took);
  }
  std::sort(times.begin(), times.end());
  if (good)
    printf("%s,%s,%.0f,%.0f,%.0f,%d\n", one.name.c_str(), options.count("pass") ? options["pass"].c_str() : "1",
           times[TIMED / 2], times.front(), times.back(), TIMED);
  fflush(stdout);
  for (cl_mem buffer : memory)
    if (buffer)
      clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return good;
}
static int times(const std::string &folder) {
  std::vector<app> apps = read_apps(folder + "/cases.txt");
  digests results = read_results(folder + "/results.csv");
  printf("case,pass,median_ns,min_ns,max_ns,launches\n");
  device on = find_device();
  int bad = 0;
  for (const app &one : apps)
    bad += wanted(one) && !measure(on, one, folder, results);
  return bad > 0;
}

// ---- launches for ncu, by CUDA's driver ---------------------------------------------------------

template <class F> static F driver(const char *name) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW);
  void *found = library ? dlsym(library, name) : nullptr;
  if (!found)
    stop(std::string("libcuda.so.1 has no ") + name);
  return (F)found;
}
template <class... A> static void cuda(const char *name, A... arguments) {
  int error = driver<int (*)(A...)>(name)(arguments...);
  if (error)
    stop(std::string(name) + ": CUDA error " + std::to_string(error));
}
// OpenCL's launches put sizes into environment registers, CUDA's do not: 6 to 8 are the work-groups; the others are 0
// here.
static std::string for_cuda(std::string text, const app &one) {
  const std::string mode = ", texmode_independent", name = "%envreg";
  for (size_t at; (at = text.find(mode)) != std::string::npos;)
    text.erase(at, mode.size());
  for (size_t at; (at = text.find(name)) != std::string::npos;) {
    size_t end = at + name.size();
    size_t number = strtoull(&text[end], nullptr, 10);
    while (isdigit(text[end]))
      end++;
    size_t value = number >= 6 && number < 9 ? one.global[number - 6] / one.local[number - 6] : 0;
    text.replace(at, end - at, std::to_string(value));
  }
  return text;
}
static void launch_twice(const app &one, const std::string &ptx) {
  std::string text = for_cuda(slurp(ptx + "/" + one.name + ".ptx"), one);
  void *module, *function;
  cuda("cuModuleLoadData", &module, (const void *)text.c_str());
  cuda("cuModuleGetFunction", &function, module, one.kernel.c_str());
  std::vector<uint64_t> memory(one.arguments.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < memory.size(); i++) {
    const argument &of = one.arguments[i];
    arguments.push_back(of.name.empty() ? (void *)&of.value : &memory[i]);
    if (of.name.empty())
      continue;
    bytes data = contents(of, i + 1);
    cuda("cuMemAlloc_v2", &memory[i], data.size());
    cuda("cuMemcpyHtoD_v2", memory[i], (const void *)data.data(), data.size());
  }
  int registers;
  cuda("cuFuncGetAttribute", &registers, 4, function);
  printf("case,%s,%d\n", one.name.c_str(), registers);
  fflush(stdout);
  unsigned groups[3], local[3];
  for (int i = 0; i < 3; i++) {
    groups[i] = (unsigned)(one.global[i] / one.local[i]);
    local[i] = (unsigned)one.local[i];
  }
  for (int i = 0; i < 2; i++)
    cuda("cuLaunchKernel", function, groups[0], groups[1], groups[2], local[0], local[1], local[2], 0u, (void *)nullptr,
         arguments.data(), (void **)nullptr);
  cuda("cuCtxSynchronize");
  for (uint64_t buffer : memory)
    if (buffer)
      cuda("cuMemFree_v2", buffer);
  cuda("cuModuleUnload", module);
}
static int launches(const std::string &folder, const std::string &ptx) {
  int number;
  void *context;
  cuda("cuInit", 0u);
  cuda("cuDeviceGet", &number, 0);
  cuda("cuDevicePrimaryCtxRetain", &context, number);
  cuda("cuCtxSetCurrent", context);
  for (const app &one : read_apps(folder + "/cases.txt"))
    if (wanted(one))
      launch_twice(one, ptx);
  return 0;
}

int main(int argc, char **argv) {
  words given;
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "--", 2) == 0 && i + 1 < argc) {
      options[argv[i] + 2] = argv[i + 1];
      i++;
    } else {
      given.push_back(argv[i]);
    }
  if (given.size() == 2 && given[0] == "times")
    return times(given[1]);
  if (given.size() == 3 && given[0] == "launch")
    return launches(given[1], given[2]);
  stop("usage: apps times FOLDER [--pass NAME] [--only WORD] [--define NAME=VALUE] [--ptx FOLDER]; apps launch FOLDER "
       "PTX");
}
