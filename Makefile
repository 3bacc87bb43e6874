# Warpwait. `make help` lists the targets; CONTRIBUTING.md says how things are laid out.

CC       ?= gcc
PYTHON   ?= /usr/bin/python3
BUILD    ?= build
PREFIX   ?= /usr/local
SANITIZE ?=

ifeq ($(origin CC),default)
CC := gcc
endif
CXX := $(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),$(subst gcc,g++,$(CC)))

WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# No contraction and no errno: results of floating point must not depend on the compiler's taste.
# Sanitized code is built to be tested once, so compiling it must not take longer than running it.
CODEGEN  := $(if $(SANITIZE),-O1 -g1,-O2 -g) -ffp-contract=off -fno-math-errno -fno-trapping-math
# All goes into a shared library, which shows what warpwait.h declares and nothing else.
CODEGEN  += -fPIC -fvisibility=hidden
# What malloc() and its kin are below the clients: sim/base/heap.h.
HEAP     := -include sim/base/heap.h
SAN      := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CFLAGS   += -std=c17 -D_GNU_SOURCE $(HEAP) $(WARN) $(CODEGEN) $(SAN) $(CPPFLAGS) -I. -Iinclude -MMD -MP
# System headers of SystemC and GoogleTest are not ours to warn about.
CXXFLAGS += -std=c++17 -Wall -Wextra -Wshadow -Werror -O2 -g $(SAN) $(CPPFLAGS) -I. -MMD -MP
LDFLAGS  += $(SAN)
FLAGS    := $(CC) $(CFLAGS) $(CXX) $(CXXFLAGS)
LDLIBS   := -Wl,--as-needed -ljansson -linih -lsqlite3 -llzma -lpng -lz -lm -lpthread

# The version is warpwait.h's; the soname changes with what that promises.
VERSION := $(shell sed -n 's/^.define WW_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$$/\2/p' include/warpwait.h | paste -sd.)
SONAME  := libwarpwait.so.0
SHARED  := libwarpwait.so.$(VERSION)
LIBRARY := $(BUILD)/libwarpwait.a $(BUILD)/$(SHARED)
DRIVER  := $(BUILD)/libwarpwait-opencl.so
API_LIBS := -ljansson -linih -lpng -lz -lm -lpthread

C_FOLDERS := sim/base sim/core isa isa/asm opencl/clang opencl/edits opencl/spirv opencl/ir opencl/lower opencl/passes opencl/emit opencl lds dma traces models models/mem sim/host sim/import \
  sim/session sim/report sim/replay sim/check sim/timeline sim/page sim/sweep sim/explain sim/diff sim/tracetools sim/api
SOURCES   := $(foreach d,$(C_FOLDERS),$(wildcard $(d)/*.c))
LIB_OBJ   := $(SOURCES:%=$(BUILD)/obj/%.o)
LIB_OBJ   += $(BUILD)/obj/presets.o $(BUILD)/obj/page_template.o

# isa/lanes.c and isa/addresses.c are compiled twice: for any x86-64, and for those with AVX2 and FMA; the executor picks
# at run time. Both give the same bits.
ifneq ($(filter x86_64,$(shell uname -m)),)
LIB_OBJ += $(BUILD)/obj/isa/lanes.v3.o $(BUILD)/obj/isa/addresses.v3.o
endif

# What stands around the library: the command line, but for its main(), and SystemC, for whoever wants that. What is in
# the library needs neither of them, nor a C++ compiler.
CLI_OBJ     := $(patsubst %,$(BUILD)/obj/%.o,$(filter-out sim/cli/main.c,$(wildcard sim/cli/*.c sim/console/*.c)))
SYSTEMC_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard bindings/systemc/*.cpp))
CORE        := $(BUILD)/core.a
CLI         := $(BUILD)/cli.a $(BUILD)/systemc.a $(CORE)

TEST_FOLDERS := $(filter-out bench exhaust faults fuzz mutants,$(sort $(notdir $(patsubst %/,%,$(dir $(wildcard tests/*/*.c))))))
TEST_BIN     := $(TEST_FOLDERS:%=$(BUILD)/tests/%)

# For bash, zsh and fish; the latter two know the files by these names.
COMPLETIONS := warpwait.bash _warpwait warpwait.fish

.PHONY: all
all: $(BUILD)/warpwait $(LIBRARY) $(DRIVER) $(BUILD)/man/warpwait.1 $(COMPLETIONS:%=$(BUILD)/completion/%)

.DELETE_ON_ERROR:
.SECONDARY:

# `make V=1` shows the commands.
ifndef V
Q := @
say = @echo '  $(1) $(patsubst $(BUILD)/%,%,$@)'
endif

# What is linked here, in parts: our programs and tests reach behind warpwait.h.
$(CORE): $(LIB_OBJ)
$(BUILD)/cli.a: $(CLI_OBJ)
$(BUILD)/systemc.a: $(SYSTEMC_OBJ)
$(CORE) $(BUILD)/cli.a $(BUILD)/systemc.a:
	$(call say,AR )
	@rm -f $@
	$(Q)ar rcs $@ $^

# ---- libwarpwait: what others link -----------------------------------------------------------------

# sim/api with all that it needs is one object whose only symbols are ww_*.
API_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard sim/api/*.c))
$(BUILD)/libwarpwait.o: $(API_OBJ) $(CORE)
	$(call say,LD )
	$(Q)ld -r -o $@.all $^
	$(Q)objcopy --wildcard --keep-global-symbol='ww_*' $@.all $@
	@rm $@.all

$(BUILD)/libwarpwait.a: $(BUILD)/libwarpwait.o
	$(call say,AR )
	@rm -f $@
	$(Q)ar rcs $@ $^

# It stays once it is loaded: jansson takes its memory from it.
$(BUILD)/$(SHARED): $(BUILD)/libwarpwait.o sim/api/libwarpwait.map
	$(call say,LD )
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=sim/api/libwarpwait.map -Wl,-z,defs \
	  -Wl,-z,nodelete -o $@ $< $(API_LIBS)
	@ln -sf $(SHARED) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/libwarpwait.so

# The one in the Python package of a wheel.
$(BUILD)/python/$(SONAME): $(BUILD)/libwarpwait.o sim/api/libwarpwait.map packaging/bundle
	$(call say,LD )
	$(Q)CC="$(CC) $(LDFLAGS)" packaging/bundle $@ "$(filter-out -lm -lpthread,$(API_LIBS))" $< -Wl,-soname,$(SONAME) \
	  -Wl,--version-script=sim/api/libwarpwait.map -Wl,-z,defs -Wl,-z,nodelete

# ---- the OpenCL driver: a client of warpwait.h, with the library in it ---------------------------------

DRIVER_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard bindings/icd/*.c))
$(DRIVER_OBJ): HEAP :=
$(DRIVER): $(DRIVER_OBJ) $(BUILD)/libwarpwait.a bindings/icd/libwarpwait-opencl.map
	$(call say,LD )
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,--version-script=bindings/icd/libwarpwait-opencl.map -Wl,-Bsymbolic -Wl,-z,defs \
	  -Wl,-z,nodelete -o $@ $(DRIVER_OBJ) $(BUILD)/libwarpwait.a $(API_LIBS)

$(BUILD)/warpwait: $(BUILD)/obj/sim/cli/main.c.o $(CLI)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lsystemc

# Objects are made again when the compiler or its options change.
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: force

# The commit that --version names; none outside a clone.
COMMIT := $(shell git describe --always --dirty --abbrev=9 2>/dev/null)
$(BUILD)/commit: force
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' > $@
$(BUILD)/obj/sim/cli/verbs.c.o: $(BUILD)/commit
$(BUILD)/obj/sim/cli/verbs.c.o: CPPFLAGS += $(COMMIT:%=-DWARPWAIT_COMMIT='"%"')

$(BUILD)/obj/%.c.o: %.c $(BUILD)/flags
	$(call say,CC )
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj/isa/%.v3.o: isa/%.c $(BUILD)/flags
	$(call say,CC )
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -mavx2 -mfma -mbmi2 -DLANES_V3 -c -o $@ $<

# The built-in machines: machines/*.ini as C.
$(BUILD)/gen/presets.c: machines/embed.awk $(sort $(wildcard machines/*.ini))
	@mkdir -p $(@D)
	@LC_ALL=C awk -f $^ > $@

# The page of --html, as bytes: sim/page and d3's parts for scales, axes and zoom, in the order in which they need each other.
D3 := $(foreach part,array collection color dispatch ease format interpolate timer time time-format selection axis drag transition scale zoom,/usr/share/nodejs/d3-$(part)/dist/d3-$(part).min.js)
$(BUILD)/gen/page_template.c: sim/page/embed.awk sim/page/page.html $(sort $(wildcard sim/page/*.js sim/page/*.css sim/page/*.txt)) $(D3)
	@mkdir -p $(@D)
	@{ echo '/* sim/page as one page, made by the Makefile. */'; echo '#include "sim/page/page.h"'; \
	  echo 'const unsigned char page_template[] = {'; \
	  LC_ALL=C awk -v folder=sim/page -v d3="$(D3)" -f sim/page/embed.awk sim/page/page.html | \
	    od -An -v -tu1 -w32 | sed 's/^ *//; s/  */,/g; s/$$/,/'; \
	  echo '0};'; echo 'const size_t page_template_bytes = sizeof page_template - 1;'; } > $@

$(BUILD)/obj/presets.o $(BUILD)/obj/page_template.o: $(BUILD)/obj/%.o: $(BUILD)/gen/%.c
	$(call say,CC )
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

# The inner loops of the executor are worth the compiler's full effort.
$(foreach f,lanes addresses,$(BUILD)/obj/isa/$(f).c.o $(BUILD)/obj/isa/$(f).v3.o): CODEGEN += -O3

# Comparing a warp's values with a shape, and writing them out, are loops over lanes, too.
$(foreach f,lds/memo traces/encode traces/decode traces/stream,$(BUILD)/obj/$(f).c.o): CODEGEN += -O3

$(BUILD)/obj/%.cpp.o: %.cpp $(BUILD)/flags
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXXFLAGS) -c -o $@ $<

# ---- tests: one binary a folder, tests/ct.cpp wraps GoogleTest --------------------------------

.SECONDEXPANSION:
$(TEST_BIN): $(BUILD)/tests/%: $$(patsubst $$(percent).c,$(BUILD)/obj/$$(percent).c.o,$$(wildcard tests/%/*.c)) \
    $$(patsubst $$(percent).cpp,$(BUILD)/obj/$$(percent).cpp.o,$$(wildcard tests/%/*.cpp)) \
    $(BUILD)/obj/tests/ct.cpp.o $(CLI)
	$(call say,LD )
	@mkdir -p $(@D)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lgtest $(LDLIBS) $(TEST_LIBS)

# Those that step islands by SystemC.
$(BUILD)/tests/host $(BUILD)/tests/models: TEST_LIBS := -lsystemc

percent := %

# Those that go through the loader to the driver.
$(BUILD)/tests/icd: TEST_LIBS := -lOpenCL
$(BUILD)/tests/icd: | $(DRIVER)

# Tests of the library are clients: their memory is their own.
$(BUILD)/obj/tests/api/%.c.o $(BUILD)/obj/tests/icd/%.c.o $(BUILD)/obj/tests/fuzz/fuzz_api.c.o $(BUILD)/obj/tests/fuzz/fuzz_opencl.c.o $(BUILD)/obj/tests/exhaust/%.c.o: HEAP :=
# What takes the place of a C library is none of ours.
$(BUILD)/obj/sim/playground/calloc.c.o $(BUILD)/obj/sim/playground/libc.c.o $(BUILD)/obj/tests/playground/libc_test.c.o: HEAP :=
# Manuals are held against what they speak of.
$(BUILD)/tests/cli: $(BUILD)/obj/sim/docs/manual.c.o

# Memory is its own, and it is linked as a client is.
$(BUILD)/exhaust: $(BUILD)/obj/tests/exhaust/exhaust.c.o $(BUILD)/libwarpwait.a
	$(call say,LD )
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(API_LIBS)

# The law of replay is held with the models' rig.
$(BUILD)/tests/replay: $(BUILD)/obj/tests/models/rig.c.o $(BUILD)/obj/tests/models/rig_replay.c.o | $(BUILD)/tests/models

# So are the caches.
$(BUILD)/tests/mem: $(BUILD)/obj/tests/models/rig.c.o $(BUILD)/obj/tests/models/rig_replay.c.o | $(BUILD)/tests/models

# So is what launches without timing do.
$(BUILD)/tests/functional: $(BUILD)/obj/tests/models/rig.c.o $(BUILD)/obj/tests/models/rig_replay.c.o | $(BUILD)/tests/models

# Kernels made by chance come from the compiler's tests. A program of its own: those change folder and environment.
$(BUILD)/tests/corpus: $(patsubst %,$(BUILD)/obj/tests/opencl/%.c.o,emit_random emit_rig lane program)

# Fuzzers run with clang only (below); here they are compiled, so that they keep up with the code.
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# Scripts that are tests, those that take longest first; and those that are not run with sanitizers, since they hold
# pages, pictures and Python alone.
SCRIPTS := check/rules differential/differential hw/selftest hw/selftest_apps sweep/cluster_test explain/sanity check/corpus replay/law \
  traces/reader_test traces/text_test traces/damage machines/extremes import/import_test html/page_test html/hostile_test \
  playground/folder_test timeline/exports_test explain/explain_test explain/changes_test sweep/sweep_test check/reference_cases \
  check/random_kernels check/timings faults/fault_test faults/signal_test sweep/points_test check/sarif_test \
  cli/terminal_test cli/strangers_test cli/streams_test cli/completion_test icd/exec_test images/reference_test images/opencl_test
PLAIN   := prose/prose examples/readme_page traces/plot_test traces/plot_page cli/man_test cli/diff_page explain/explain_page sweep/analysis_test sweep/analysis_page \
  sweep/study_page check/page check/oclgrind lessons/lessons lessons/lessons_test layers behaves playground/serve_test api/installed_test \
  python/notebooks_test python/display_test python/api_test python/docs_test python/errors_test python/missing_test \
  python/package_test python/types_test exhaust/sample
LONGEST := $(filter %/opencl,$(TEST_BIN)) # first, so that no core waits for it at the end
TESTS   := $(LONGEST) $(if $(SANITIZE),,$(PLAIN:%=tests/%.py) tests/docs) $(SCRIPTS:%=tests/%.py) $(filter-out $(LONGEST),$(TEST_BIN))

# OpenCL C that was translated for the tests, for all builds of one CC: the two programs that do it are not ours.
CACHE ?= $(abspath $(BUILD))/cache

.PHONY: check
check: all $(if $(SANITIZE),,$(BUILD)/exhaust) $(BUILD)/docgen $(BUILD)/playground-shell $(TEST_BIN) $(FUZZERS:%=$(BUILD)/obj/tests/fuzz/%.c.o)
	@PYTHON=$(PYTHON) WARPWAIT=$(BUILD)/warpwait DOCGEN=$(BUILD)/docgen WARPWAIT_CACHE=$(CACHE) \
	  WARPWAIT_HW_CACHE=$(BUILD)/hw/outcomes.sqlite tests/run $(BUILD)/tests/logs $(TESTS)

# Every kernel of the checker, and 200 random ones, on 20 machines each and at any level of optimization, and the
# checker's at each level: the hazards are the same.
.PHONY: check-timings
check-timings: all
	@WARPWAIT=$(BUILD)/warpwait tests/check/rules.py --levels 0,1,2,3
	@WARPWAIT=$(BUILD)/warpwait tests/check/timings.py --timings 20 --part 1 --random 200

# ---- the two commands of the README: set up what is missing, then do the job -------------------

.PHONY: demo test packages test-packages site-packages
demo: packages
	@$(MAKE) --no-print-directory -j$$(nproc) all
	$(BUILD)/warpwait run examples/05_double_buffer/launch_opencl.json --verify

test: test-packages
	@$(MAKE) --no-print-directory -j$$(nproc) check

# Debian packages of packages.txt that are not installed; nothing on other systems.
packages: PART := sed '/^$$/q' packages.txt
test-packages: PART := sed '/^\# The playground/,$$d' packages.txt
playground-packages: PART := sed -n '1,/^$$/p;/^\# The playground/,/^$$/p' packages.txt
site-packages: PART := sed -n '1,/^$$/p;/^\# The site/,/^$$/p' packages.txt
deb-packages: PART := sed -n '1,/^$$/p;/^\# Packaging/,$$p' packages.txt
packages test-packages playground-packages site-packages deb-packages:
	@missing=$$(command -v dpkg-query >/dev/null || exit 0; \
	  for p in $$($(PART) | grep -v '^#'); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; \
	  done); \
	if [ -n "$$missing" ]; then \
	  sudo=$$([ "$$(id -u)" = 0 ] || command -v sudo || true); \
	  if [ "$$(id -u)" != 0 ] && [ -z "$$sudo" ]; then \
	    echo "packages are missing, and installing them needs root. Ask the administrator to run:" >&2; \
	    echo "  apt-get install --no-install-recommends" $$missing >&2; \
	    exit 1; \
	  fi; \
	  echo "installing:" $$missing; \
	  $$sudo apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

.PHONY: help sanitize threads threads-programs layers behaves docs golden bench install uninstall clean format
help:
	@sed -n 's/^| `make\(.*\)` | \(.*\) |$$/make\1: \2/p' CONTRIBUTING.md | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/`//g'

# Asking for more memory than there is is what some tests do.
sanitize: export ASAN_OPTIONS := allocator_may_return_null=1
sanitize:
	@$(MAKE) --no-print-directory -j$$(nproc) check BUILD=build/sanitize SANITIZE=address,undefined CACHE=$(CACHE)

# ThreadSanitizer on what several threads do: tests of workers, of threads that share compute units, and of readers that
# share a trace.
threads: export WARPWAIT_CACHE := $(CACHE)
threads: export TSAN_OPTIONS := allocator_may_return_null=1
threads:
	@$(MAKE) --no-print-directory -j$$(nproc) threads-programs BUILD=build/tsan SANITIZE=thread
	@build/tsan/tests/traces --gtest_brief=1 --gtest_filter='*threads*'
	@build/tsan/tests/sweep --gtest_brief=1 --gtest_filter='sweep_workers*:sweep_alike*'
	@build/tsan/tests/explain --gtest_brief=1 --gtest_filter='explain_workers*'
	@build/tsan/tests/host --gtest_brief=1 --gtest_filter='host.threads*:crew.*share*'
	@build/tsan/tests/models --gtest_brief=1 --gtest_filter='*threads*'
	@build/tsan/tests/api --gtest_brief=1 --gtest_filter='workers_api*:*threads*'
	@build/tsan/tests/opencl --gtest_brief=1 --gtest_filter='*threads*'

threads-programs: $(addprefix $(BUILD)/tests/,traces sweep explain api host models opencl)

# libFuzzer on every reader of bytes from outside, FUZZ_SECONDS each, two at once, with sanitizers, built by clang-15.
FUZZ_SECONDS ?= 3600
.PHONY: fuzz fuzz-programs
fuzz:
	@$(MAKE) --no-print-directory -j$$(nproc) fuzz-programs CC=clang-15 BUILD=$(BUILD)/fuzz \
	  SANITIZE=fuzzer-no-link,address,undefined
	@tests/fuzz/run $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZERS)

fuzz-programs: $(FUZZERS:%=$(BUILD)/%)

$(BUILD)/fuzz_opencl: $(DRIVER_OBJ) # without OpenCL's loader
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.c.o $(CLI)
	$(call say,LD )
	$(Q)$(CXX) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) $(CLI) $(LDLIBS) -lsystemc

# The notebooks of docs/notebooks as nbconvert renders them, light and dark, with pictures of the pages.
.PHONY: notebook-pictures
notebook-pictures:
	@$(PYTHON) tests/python/pictures.py $(BUILD)/notebooks

# Each allocation that the library makes in calls of each of its functions fails in turn: two hours.
.PHONY: exhaust
exhaust: $(BUILD)/exhaust
	@WARPWAIT_CACHE=$(CACHE) $(PYTHON) tests/exhaust/sample.py --every 1

# Programs of Debian's that use OpenCL, unchanged: ten minutes, of those that are installed.
.PHONY: programs
programs: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/icd/programs.py

# Random kernels against PoCL, for as long as is given; a failure is shrunk into build/differential. Without SOAK_SEED, other
# kernels than last time.
SOAK_SECONDS ?= 600
SOAK_SEED    ?=
.PHONY: soak
soak: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/differential/differential.py --family random \
	  $(if $(SOAK_SEED),--seed $(SOAK_SEED)) --seconds $(SOAK_SECONDS)

# Random machines at the limits of their parameters; what does not hold is left in build/machines.
MACHINES      ?= 10000
MACHINES_SEED ?= 1
.PHONY: machines
machines: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/machines/extremes.py --count $(MACHINES) --seed $(MACHINES_SEED)

# Small changes to the code, each of which a test must notice; `make mutants MUTANTS="--only lds/memo.c"`.
MUTANTS ?=
.PHONY: mutants
mutants:
	@$(PYTHON) -B tests/mutants/mutants.py $(MUTANTS)

# gcc and clang give the same bytes.
.PHONY: compilers
compilers:
	@mkdir -p build
	@tests/compilers

layers:
	@$(PYTHON) tests/layers.py --table && $(PYTHON) tests/layers.py

behaves: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/behaves.py

docs: $(BUILD)/docgen
	$(BUILD)/docgen docs docs

# All pages as a static site in build/site/html, with the playground if `make playground` has built it.
.PHONY: site
site: site-packages
	@packaging/site $(BUILD)/site $(BUILD)/playground

# A program of its own: users have no need of it.
$(BUILD)/docgen: $(patsubst %,$(BUILD)/obj/%.o,$(wildcard sim/docs/*.c)) $(CLI)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# A man page for each verb.
$(BUILD)/man/warpwait.1: $(BUILD)/docgen
	$(call say,MAN)
	@rm -rf $(@D); mkdir -p $(@D)
	$(Q)$(BUILD)/docgen man $(@D)

$(BUILD)/completion/%: sim/cli/completion/%
	@mkdir -p $(@D)
	@cp $< $@

# Exported timelines in the viewer of chrome://tracing; needs chromium, and golang-1.19-src for the viewer.
.PHONY: viewer
VIEWED := 05_double_buffer 11_stencil_2d
viewer: all
	@mkdir -p $(BUILD)/viewer
	@for l in $(VIEWED); do \
	  $(BUILD)/warpwait run examples/$$l/launch_opencl.json --timeline $(BUILD)/viewer/$$l.json >/dev/null || exit; \
	done
	@$(PYTHON) tests/timeline/viewer.py $(VIEWED:%=$(BUILD)/viewer/%.json)

# The pages of all examples in a headless Chromium: complaints, pictures to look at in build/page, those of docs/page.md, and
# how smoothly 100,000 slices pan.
.PHONY: page
page: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/html/pictures.py $(BUILD)/page --write
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/html/frames.py

# The pictures of docs/plots.md and docs/sweep-analysis.md, by the pages' own commands.
.PHONY: pictures
pictures: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/traces/plot_page.py --write
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/sweep/analysis_page.py --write

# docs/lessons: outputs and pictures of today, and what leads from one lesson to the next.
.PHONY: lessons
lessons: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) -B tests/lessons/lessons.py --write

# docs/study.md: all points of examples/15_sweep, and the page's outputs and pictures.
.PHONY: study
study: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/sweep/study_page.py --write

# docs/check-oclgrind.md: the kernels that are new or changed under Oclgrind; all of them with EVERY=--all.
.PHONY: docs-oclgrind
docs-oclgrind: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/check/oclgrind.py --write $(EVERY)

golden: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/examples/golden.py

bench: all $(BUILD)/launches $(BUILD)/enqueues
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/bench.py
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/launches.py
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/growth.py
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/kernels.py --beside

# Host instructions for a warp instruction of whole kernels, one of each class, held against those counted last; and where
# they are. KERNELS="triad spmv": these alone.
.PHONY: bench-counts profile
bench-counts profile: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/counts.py $(if $(filter profile,$@),--profile) $(KERNELS)

# Host instructions for an instruction of a kernel, from SPIR-V on, for shapes of code that grow.
.PHONY: bench-lowering
bench-lowering: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/lowering.py

$(BUILD)/launches: tests/bench/launches.c $(BUILD)/libwarpwait.a
	$(call say,CC )
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 $(SAN) -Iinclude -o $@ $^ $(API_LIBS)

$(BUILD)/enqueues: tests/bench/enqueues.c
	$(call say,CC )
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 $(SAN) -o $@ $< -lOpenCL

# ---- against a real GPU: tests/hw --------------------------------------------------------------

HW := WARPWAIT=$(BUILD)/warpwait WARPWAIT_HW_CACHE=$(BUILD)/hw/outcomes.sqlite $(PYTHON) tests/hw
.PHONY: validate validate-apps calibrate accuracy measure $(addprefix accuracy-,rows second leaveout ablation displaced apps apps-later apps-ablation apps-leaveout)
# CSV: measurements (default: those that come with the project); MACHINE: built-in, or a machine file.
VALIDATE_ROWS ?= 1500
MACHINE ?= h200
validate: all
	@$(HW)/validate.py $(CSV) --machine $(MACHINE) --sample $(VALIDATE_ROWS)

# APPS: options of the script, as in APPS="--only sgemm_tile -- --registers 64".
validate-apps: all
	@$(HW)/validate_apps.py --machine $(MACHINE) $(APPS)

# From MACHINE, to CSV; OUT: the machine file to write.
OUT ?= $(BUILD)/hw/calibrated.ini
calibrate: test-packages all
	@mkdir -p $(dir $(OUT))
	@$(HW)/calibrate.py $(CSV) --machine $(MACHINE) --out $(OUT)
	@echo "written: $(OUT)"

# docs/accuracy.md and its pictures, and of h200 what reports say of their error. PARTS are made anew, the others are as they were kept; none makes the page alone.
# ROWS: of the parts rows and second those of these files alone.
SECOND_ROWS ?= 2000
PARTS ?= rows second leaveout ablation displaced apps apps-later apps-ablation apps-leaveout
accuracy: test-packages all
	@mkdir -p $(BUILD)/hw docs/accuracy
	@for part in $(PARTS); do echo "== $$part"; $(MAKE) --no-print-directory accuracy-$$part || exit; done
	$(if $(filter h200,$(MACHINE)),@$(HW)/fidelity.py --write sim/report/fidelity.def)
	@$(PYTHON) tests/hw/page.py

accuracy-rows:
	@$(HW)/validate.py --machine $(MACHINE) --worst 0 $(ROWS) $(if $(ROWS),--keep) --predictions docs/accuracy/rows.csv.gz
accuracy-second:
	@$(HW)/validate.py --machine $(MACHINE) --worst 0 $(or $(ROWS),tests/hw/data/second/*.csv.gz --sample $(SECOND_ROWS)) $(if $(ROWS),--keep) \
	  --predictions docs/accuracy/second.csv.gz
accuracy-leaveout:
	@$(HW)/leaveout.py --machine $(MACHINE) --axes 2 --sample 24 --rounds 3 --json $(BUILD)/hw/leaveout.json
	@cp $(BUILD)/hw/leaveout.json docs/accuracy/
accuracy-ablation:
	@$(HW)/ablation.py --machine $(MACHINE) --sample 60 --json $(BUILD)/hw/ablation.json
	@$(HW)/ablation.py --machine $(MACHINE) --only lds --sample 400 --json $(BUILD)/hw/ablation_lds.json
	@cp $(BUILD)/hw/ablation.json $(BUILD)/hw/ablation_lds.json docs/accuracy/
accuracy-displaced:
	@$(HW)/calibrate.py --machine $(MACHINE) --displace 25 --sample 30 --rounds 3 --last-rounds 1 --json docs/accuracy/displaced.json
# A wrong result fails it; what is far off is for the page to explain.
accuracy-apps:
	@$(HW)/validate_apps.py --machine $(MACHINE) --csv docs/accuracy/apps.csv.gz
accuracy-apps-later:
	@$(HW)/validate_apps.py --machine $(MACHINE) --later --csv docs/accuracy/apps_later.csv.gz
accuracy-apps-ablation:
	@$(HW)/ablation_apps.py --machine $(MACHINE) --json $(BUILD)/hw/apps_ablation.json
	@cp $(BUILD)/hw/apps_ablation.json docs/accuracy/
accuracy-apps-leaveout:
	@$(HW)/leaveout_apps.py --machine $(MACHINE) --json $(BUILD)/hw/apps_leaveout.json
	@cp $(BUILD)/hw/apps_leaveout.json docs/accuracy/

# Needs nvcc; for the machine with the GPU.
measure:
	@tests/hw/measure/build $(BUILD)/hw/measure

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp' 'sim/page/*.js' 'sim/playground/*.js')

# ---- installing ----------------------------------------------------------------------------------

# What others build with, with what only is known here.
API_FILES := warpwait.pc warpwait-config.cmake warpwait-config-version.cmake
$(API_FILES:%=$(BUILD)/api/%): $(BUILD)/api/%: packaging/%.in force
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(API_LIBS)|' \
	  -e 's|@SHARED@|$(SHARED)|; s|@SONAME@|$(SONAME)|' $< > $@

# Where libraries are below PREFIX, and where Debian's Python looks for packages.
LIBDIR        ?= lib
PYTHON_FOLDER ?= lib/$(shell $(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/dist-packages

# A line a file: its mode, where it is, and its name below PREFIX.
LIST = { \
  echo 755 $(BUILD)/warpwait bin/warpwait; \
  echo 755 bindings/python/warpwait-plot bin/warpwait-plot; \
  echo 755 bindings/python/warpwait-sweep bin/warpwait-sweep; \
  echo 755 bindings/icd/warpwait-exec share/warpwait/warpwait-exec; \
  echo 644 $(DRIVER) $(LIBDIR)/warpwait/$(notdir $(DRIVER)); \
  echo 644 include/warpwait.h include/warpwait.h; \
  echo 644 include/warpwait/analyse.h include/warpwait/analyse.h; \
  echo 644 $(BUILD)/libwarpwait.a $(LIBDIR)/libwarpwait.a; \
  echo 644 $(BUILD)/$(SHARED) $(LIBDIR)/$(SHARED); \
  echo link $(SHARED) $(LIBDIR)/$(SONAME); \
  echo link $(SONAME) $(LIBDIR)/libwarpwait.so; \
  echo 644 $(BUILD)/api/warpwait.pc $(LIBDIR)/pkgconfig/warpwait.pc; \
  for f in $(filter %.cmake,$(API_FILES)); do echo 644 $(BUILD)/api/$$f $(LIBDIR)/cmake/warpwait/$$f; done; \
  for f in $(BUILD)/man/*.1; do echo 644 $$f share/man/man1/$${f\#\#*/}; done; \
  echo 644 $(BUILD)/completion/warpwait.bash share/bash-completion/completions/warpwait; \
  echo 644 $(BUILD)/completion/_warpwait share/zsh/site-functions/_warpwait; \
  echo 644 $(BUILD)/completion/warpwait.fish share/fish/vendor_completions.d/warpwait.fish; \
  echo 644 sim/sweep/slurm/sweep.sbatch share/warpwait/sweep.sbatch; \
  echo 755 sim/playground/serve.py share/warpwait/serve.py; \
  [ ! -f $(BUILD)/playground/warpwait.wasm ] || (cd $(BUILD)/playground && find . -type f) | \
    while read f; do echo 644 $(BUILD)/playground/$$f share/warpwait/playground/$$f; done; \
  find bindings/python/warpwait -name '*.py' -o -name py.typed | \
    while read f; do echo 644 $$f $(PYTHON_FOLDER)/$${f\#bindings/python/}; done; }

# The linker's own list of libraries, where they are put for all.
LISTED = @[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig
install: all $(API_FILES:%=$(BUILD)/api/%)
	@$(LIST) | packaging/install $(DESTDIR)$(PREFIX)
	$(LISTED)

uninstall:
	@packaging/install --undo $(DESTDIR)$(PREFIX)
	$(LISTED)

# ---- a wheel -------------------------------------------------------------------------------------

# For pip: the Python package with a library of its own. Debian's setuptools builds it, and no network is asked.
.PHONY: wheel
wheel: export BUILD := $(BUILD)
wheel: export CC := $(CC)
wheel: $(BUILD)/python/$(SONAME)
	@$(PYTHON) -c 'import setuptools, wheel, pip' 2>/dev/null || \
	  { echo "make wheel: needs pip, setuptools and wheel: apt-get install python3-pip python3-setuptools python3-wheel"; exit 2; } >&2
	$(call say,WHL)
	@rm -rf $(BUILD)/wheel
	$(Q)$(PYTHON) -m pip wheel --quiet --no-build-isolation --no-deps --no-index --wheel-dir $(BUILD)/wheel .
	@ls -sh $(BUILD)/wheel/*.whl

# ---- Debian packages -----------------------------------------------------------------------------

.PHONY: deb deb-packages deb-test
deb: deb-packages
	$(call say,DEB)
	@packaging/deb $(BUILD)/deb $(VERSION)

# Installs, uses and purges them in a fresh Debian 12, in a temporary folder.
deb-test: deb
	@folder=$$(mktemp -d) && tests/packages/installed $(BUILD)/deb $$folder && rmdir $$folder

# ---- the playground: WebAssembly -----------------------------------------------------------------

include sim/playground/playground.mk

clean:
	rm -rf $(BUILD)

# The packages are built in a tree of their own.
-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -name '*.d' -print 2>/dev/null)
