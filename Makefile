# `make help` lists the targets. CONTRIBUTING.md explains them and the layout of the code.

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
# Floating-point results must not depend on the compiler, so no contraction, no errno and no traps.
# Sanitizer builds run the tests only once: -O2 would take longer to compile than it saves.
CODEGEN  := $(if $(SANITIZE),-O1 -g1,-O2 -g) -ffp-contract=off -fno-math-errno -fno-trapping-math
# Every object may go into the shared library, which exports only what warpwait.h declares.
CODEGEN  += -fPIC -fvisibility=hidden
# This header replaces malloc() and its relatives, except in clients of the library, which clear HEAP below.
HEAP     := -include sim/base/heap.h
SAN      := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CFLAGS   += -std=c17 -D_GNU_SOURCE $(HEAP) $(WARN) $(CODEGEN) $(SAN) $(CPPFLAGS) -I. -Iinclude -MMD -MP
# No -Wpedantic and -Wconversion: what they find in the headers of SystemC and GoogleTest is not ours to fix.
CXXFLAGS += -std=c++17 -Wall -Wextra -Wshadow -Werror -O2 -g $(SAN) $(CPPFLAGS) -I. -MMD -MP
LDFLAGS  += $(SAN)
FLAGS    := $(CC) $(CFLAGS) $(CXX) $(CXXFLAGS)
LDLIBS   := -Wl,--as-needed -ljansson -linih -lsqlite3 -llzma -lpng -lz -lm -lpthread

# The version comes from warpwait.h. The soname changes when a release breaks the compatibility promised there.
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

# isa/lanes.c and isa/addresses.c are compiled twice: for any x86-64, and for CPUs with AVX2, FMA and BMI2. The executor
# picks one at run time. Both give the same results, bit for bit.
ifneq ($(filter x86_64,$(shell uname -m)),)
LIB_OBJ += $(BUILD)/obj/isa/lanes.v3.o $(BUILD)/obj/isa/addresses.v3.o
endif

# Not in the library: the command line (without main(), so that tests can link it) and the SystemC binding. The library
# needs neither, nor a C++ compiler.
CLI_OBJ     := $(patsubst %,$(BUILD)/obj/%.o,$(filter-out sim/cli/main.c,$(wildcard sim/cli/*.c sim/console/*.c)))
SYSTEMC_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard bindings/systemc/*.cpp))
CORE        := $(BUILD)/core.a
CLI         := $(BUILD)/cli.a $(BUILD)/systemc.a $(CORE)

TEST_FOLDERS := $(filter-out bench exhaust faults fuzz mutants,$(sort $(notdir $(patsubst %/,%,$(dir $(wildcard tests/*/*.c))))))
TEST_BIN     := $(TEST_FOLDERS:%=$(BUILD)/tests/%)

# For bash, zsh and fish. The last two find the files by these names.
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

# Archives for our own programs and tests, which also use what warpwait.h does not declare.
$(CORE): $(LIB_OBJ)
$(BUILD)/cli.a: $(CLI_OBJ)
$(BUILD)/systemc.a: $(SYSTEMC_OBJ)
$(CORE) $(BUILD)/cli.a $(BUILD)/systemc.a:
	$(call say,AR )
	@rm -f $@
	$(Q)ar rcs $@ $^

# ---- libwarpwait, for other programs -----------------------------------------------------------------

# One object with sim/api and everything it needs. Only ww_* stay global, so our names cannot clash with a program's.
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

# nodelete: jansson keeps calling our allocator, so the library must stay loaded.
$(BUILD)/$(SHARED): $(BUILD)/libwarpwait.o sim/api/libwarpwait.map
	$(call say,LD )
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=sim/api/libwarpwait.map -Wl,-z,defs \
	  -Wl,-z,nodelete -o $@ $< $(API_LIBS)
	@ln -sf $(SHARED) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/libwarpwait.so

# The library inside the Python wheel.
$(BUILD)/python/$(SONAME): $(BUILD)/libwarpwait.o sim/api/libwarpwait.map packaging/bundle
	$(call say,LD )
	$(Q)CC="$(CC) $(LDFLAGS)" packaging/bundle $@ "$(filter-out -lm -lpthread,$(API_LIBS))" $< -Wl,-soname,$(SONAME) \
	  -Wl,--version-script=sim/api/libwarpwait.map -Wl,-z,defs -Wl,-z,nodelete

# ---- the OpenCL driver: a client of warpwait.h that contains the library -------------------------------

DRIVER_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard bindings/icd/*.c))
$(DRIVER_OBJ): HEAP :=
$(DRIVER): $(DRIVER_OBJ) $(BUILD)/libwarpwait.a bindings/icd/libwarpwait-opencl.map
	$(call say,LD )
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,--version-script=bindings/icd/libwarpwait-opencl.map -Wl,-Bsymbolic -Wl,-z,defs \
	  -Wl,-z,nodelete -o $@ $(DRIVER_OBJ) $(BUILD)/libwarpwait.a $(API_LIBS)

$(BUILD)/warpwait: $(BUILD)/obj/sim/cli/main.c.o $(CLI)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lsystemc

# Changes only when the compiler or its options do. Then every object is rebuilt.
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: force

# The commit that `warpwait --version` shows; empty outside a clone.
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

# machines/*.ini become the built-in machines.
$(BUILD)/gen/presets.c: machines/embed.awk $(sort $(wildcard machines/*.ini))
	@mkdir -p $(@D)
	@LC_ALL=C awk -f $^ > $@

# The page that --html writes: sim/page, with d3's modules for scales, axes and zoom in order of dependency.
D3 := $(foreach part,array collection color dispatch ease format interpolate timer time time-format selection axis drag transition scale zoom,/usr/share/nodejs/d3-$(part)/dist/d3-$(part).min.js)
$(BUILD)/gen/page_template.c: sim/page/embed.awk sim/page/page.html $(sort $(wildcard sim/page/*.js sim/page/*.css sim/page/*.txt)) $(D3)
	@mkdir -p $(@D)
	@{ echo '/* Generated by the Makefile from sim/page. */'; echo '#include "sim/page/page.h"'; \
	  echo 'const unsigned char page_template[] = {'; \
	  LC_ALL=C awk -v folder=sim/page -v d3="$(D3)" -f sim/page/embed.awk sim/page/page.html | \
	    od -An -v -tu1 -w32 | sed 's/^ *//; s/  */,/g; s/$$/,/'; \
	  echo '0};'; echo 'const size_t page_template_bytes = sizeof page_template - 1;'; } > $@

$(BUILD)/obj/presets.o $(BUILD)/obj/page_template.o: $(BUILD)/obj/%.o: $(BUILD)/gen/%.c
	$(call say,CC )
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

# -O3 pays off in the executor's inner loops.
$(foreach f,lanes addresses,$(BUILD)/obj/isa/$(f).c.o $(BUILD)/obj/isa/$(f).v3.o): CODEGEN += -O3

# It also pays off in the loops over lanes that compare accesses with remembered ones and that code traces.
$(foreach f,lds/memo traces/encode traces/decode traces/stream,$(BUILD)/obj/$(f).c.o): CODEGEN += -O3

$(BUILD)/obj/%.cpp.o: %.cpp $(BUILD)/flags
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXXFLAGS) -c -o $@ $<

# ---- tests: one binary per folder; tests/ct.cpp wraps GoogleTest ------------------------------

.SECONDEXPANSION:
$(TEST_BIN): $(BUILD)/tests/%: $$(patsubst $$(percent).c,$(BUILD)/obj/$$(percent).c.o,$$(wildcard tests/%/*.c)) \
    $$(patsubst $$(percent).cpp,$(BUILD)/obj/$$(percent).cpp.o,$$(wildcard tests/%/*.cpp)) \
    $(BUILD)/obj/tests/ct.cpp.o $(CLI)
	$(call say,LD )
	@mkdir -p $(@D)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lgtest $(LDLIBS) $(TEST_LIBS)

# These tests also step islands with SystemC.
$(BUILD)/tests/host $(BUILD)/tests/models: TEST_LIBS := -lsystemc

percent := %

# These tests reach the driver through the OpenCL loader.
$(BUILD)/tests/icd: TEST_LIBS := -lOpenCL
$(BUILD)/tests/icd: | $(DRIVER)

# Tests of the library are clients, so they use the C library's malloc().
$(BUILD)/obj/tests/api/%.c.o $(BUILD)/obj/tests/icd/%.c.o $(BUILD)/obj/tests/fuzz/fuzz_api.c.o $(BUILD)/obj/tests/fuzz/fuzz_opencl.c.o $(BUILD)/obj/tests/exhaust/%.c.o: HEAP :=
# These define functions of the C library, whose names heap.h would redirect.
$(BUILD)/obj/sim/playground/calloc.c.o $(BUILD)/obj/sim/playground/libc.c.o $(BUILD)/obj/tests/playground/libc_test.c.o: HEAP :=
# The tests of the command line also check the generated reference texts.
$(BUILD)/tests/cli: $(BUILD)/obj/sim/docs/manual.c.o

# Also a client: it defines malloc() itself, and links only the library.
$(BUILD)/exhaust: $(BUILD)/obj/tests/exhaust/exhaust.c.o $(BUILD)/libwarpwait.a
	$(call say,LD )
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(API_LIBS)

# These tests run their kernels on the rig of tests/models.
$(BUILD)/tests/replay: $(BUILD)/obj/tests/models/rig.c.o $(BUILD)/obj/tests/models/rig_replay.c.o | $(BUILD)/tests/models
$(BUILD)/tests/mem: $(BUILD)/obj/tests/models/rig.c.o $(BUILD)/obj/tests/models/rig_replay.c.o | $(BUILD)/tests/models
$(BUILD)/tests/functional: $(BUILD)/obj/tests/models/rig.c.o $(BUILD)/obj/tests/models/rig_replay.c.o | $(BUILD)/tests/models

# Its random kernels come from the compiler's tests. It is a separate program because those change the working directory
# and the environment.
$(BUILD)/tests/corpus: $(patsubst %,$(BUILD)/obj/tests/opencl/%.c.o,emit_random emit_rig lane program)

# Only clang can link fuzzers (`make fuzz`). `make check` just compiles them, so that they keep up with the code.
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# Test scripts, SCRIPTS slowest first. Sanitizer builds skip PLAIN, which tests only pages, pictures and Python.
SCRIPTS := check/rules differential/differential hw/selftest hw/selftest_apps sweep/cluster_test explain/sanity check/corpus replay/law \
  traces/reader_test traces/text_test traces/damage machines/extremes import/import_test html/page_test html/hostile_test \
  playground/folder_test timeline/exports_test explain/explain_test explain/changes_test sweep/sweep_test check/reference_cases \
  check/random_kernels check/random_handover check/timings faults/fault_test faults/signal_test sweep/points_test check/sarif_test \
  cli/terminal_test cli/strangers_test cli/streams_test cli/completion_test icd/exec_test images/reference_test images/opencl_test
PLAIN   := prose/prose html/colors_test examples/readme_page traces/plot_test traces/plot_page cli/man_test cli/diff_page icd/log_test explain/explain_page sweep/analysis_test sweep/analysis_page \
  sweep/study_page check/page check/oclgrind lessons/lessons lessons/lessons_test layers behaves playground/serve_test api/installed_test \
  python/notebooks_test python/display_test python/api_test python/docs_test python/errors_test python/missing_test \
  python/package_test python/types_test exhaust/sample packages/packages_test runner_test
LONGEST := $(filter %/opencl,$(TEST_BIN)) # starts first, so that the other cores do not wait for it at the end
TESTS   := $(LONGEST) $(if $(SANITIZE),,$(PLAIN:%=tests/%.py) tests/docs) $(SCRIPTS:%=tests/%.py) $(filter-out $(LONGEST),$(TEST_BIN))

# Caches what clang and llvm-spirv make of the tests' OpenCL C. It does not depend on our code, so the sanitizer builds
# share it.
CACHE ?= $(abspath $(BUILD))/cache

.PHONY: check
check: all $(if $(SANITIZE),,$(BUILD)/exhaust) $(BUILD)/docgen $(BUILD)/playground-shell $(TEST_BIN) $(FUZZERS:%=$(BUILD)/obj/tests/fuzz/%.c.o)
	@PYTHON=$(PYTHON) WARPWAIT=$(BUILD)/warpwait DOCGEN=$(BUILD)/docgen WARPWAIT_CACHE=$(CACHE) \
	  WARPWAIT_HW_CACHE=$(BUILD)/hw/outcomes.sqlite tests/run $(BUILD)/tests/logs $(TESTS)

# Hazards must not depend on optimization or timing: runs the checker's kernels at each level, then these and 200 random
# kernels on 20 random machines each, at random levels.
.PHONY: check-timings
check-timings: all
	@WARPWAIT=$(BUILD)/warpwait tests/check/rules.py --levels 0,1,2,3
	@WARPWAIT=$(BUILD)/warpwait tests/check/timings.py --timings 20 --part 1 --random 200

# ---- the README's two commands: install what is missing, then do the job -----------------------

.PHONY: demo test packages test-packages site-packages
demo: packages
	@$(MAKE) --no-print-directory -j$$(nproc) all
	$(BUILD)/warpwait run examples/05_double_buffer/launch_opencl.json --verify

test: test-packages
	@$(MAKE) --no-print-directory -j$$(nproc) check

# Installs the Debian packages of packages.txt that are missing.
packages: PART := sed '/^$$/q' packages.txt
test-packages: PART := sed '/^\# The playground/,$$d' packages.txt
playground-packages: PART := sed -n '1,/^$$/p;/^\# The playground/,/^$$/p' packages.txt
site-packages: PART := sed -n '1,/^$$/p;/^\# The site/,/^$$/p' packages.txt
deb-packages: PART := sed -n '1,/^$$/p;/^\# Packaging/,$$p' packages.txt
packages test-packages playground-packages site-packages deb-packages:
	@$(PART) | packaging/packages

.PHONY: help sanitize threads threads-programs layers behaves docs golden bench install uninstall clean format
help:
	@sed -n 's/^| `make\(.*\)` | \(.*\) |$$/make\1: \2/p' CONTRIBUTING.md | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/`//g'

# Some tests ask for more memory than there is, and expect NULL.
sanitize: export ASAN_OPTIONS := allocator_may_return_null=1
sanitize:
	@$(MAKE) --no-print-directory -j$$(nproc) check BUILD=build/sanitize SANITIZE=address,undefined CACHE=$(CACHE)

# The multithreaded tests under ThreadSanitizer: workers, threads that share the compute units or the compiler's work,
# and readers that share a trace.
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

# libFuzzer, with sanitizers, on every reader of outside input: FUZZ_SECONDS each, two at a time. Needs clang-15.
FUZZ_SECONDS ?= 3600
.PHONY: fuzz fuzz-programs
fuzz:
	@$(MAKE) --no-print-directory -j$$(nproc) fuzz-programs CC=clang-15 BUILD=$(BUILD)/fuzz \
	  SANITIZE=fuzzer-no-link,address,undefined
	@tests/fuzz/run $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZERS)

fuzz-programs: $(FUZZERS:%=$(BUILD)/%)

$(BUILD)/fuzz_opencl: $(DRIVER_OBJ) # calls the driver directly, without the OpenCL loader
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.c.o $(CLI)
	$(call say,LD )
	$(Q)$(CXX) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) $(CLI) $(LDLIBS) -lsystemc

# Renders docs/notebooks with nbconvert, light and dark, and takes pictures of the pages.
.PHONY: notebook-pictures
notebook-pictures:
	@$(PYTHON) tests/python/pictures.py $(BUILD)/notebooks

# Calls every function of the library, and makes each allocation fail in turn. Takes two hours.
.PHONY: exhaust
exhaust: $(BUILD)/exhaust
	@WARPWAIT_CACHE=$(CACHE) $(PYTHON) tests/exhaust/sample.py --every 1

# Runs unmodified Debian programs that use OpenCL, if they are installed. Takes ten minutes.
.PHONY: programs
programs: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/icd/programs.py

# Compares random kernels with PoCL for SOAK_SECONDS. A kernel that differs is shrunk and saved in build/differential.
# Without SOAK_SEED, each run uses new kernels.
SOAK_SECONDS ?= 600
SOAK_SEED    ?=
.PHONY: soak
soak: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/differential/differential.py --family random \
	  $(if $(SOAK_SEED),--seed $(SOAK_SEED)) --seconds $(SOAK_SECONDS)

# Checks random machines at the limits of their parameters. Those that fail are kept in build/machines.
MACHINES      ?= 10000
MACHINES_SEED ?= 1
.PHONY: machines
machines: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/machines/extremes.py --count $(MACHINES) --seed $(MACHINES_SEED)

# Makes small changes to the code, each of which a test must notice: `make mutants MUTANTS="--only lds/memo.c"`.
MUTANTS ?=
.PHONY: mutants
mutants:
	@$(PYTHON) -B tests/mutants/mutants.py $(MUTANTS)

# Builds by gcc and clang must give the same bytes.
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

# Builds a static site of all pages in build/site/html, with the playground if `make playground` has built it.
.PHONY: site
site: site-packages
	@packaging/site $(BUILD)/site $(BUILD)/playground

# A separate program, because users do not need it.
$(BUILD)/docgen: $(patsubst %,$(BUILD)/obj/%.o,$(wildcard sim/docs/*.c)) $(CLI)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# docgen writes a page for each verb. warpwait.1 stands for all of them.
$(BUILD)/man/warpwait.1: $(BUILD)/docgen
	$(call say,MAN)
	@rm -rf $(@D); mkdir -p $(@D)
	$(Q)$(BUILD)/docgen man $(@D)

$(BUILD)/completion/%: sim/cli/completion/%
	@mkdir -p $(@D)
	@cp $< $@

# Opens exported timelines in the viewer of chrome://tracing, and rewrites the picture of docs/timeline-export.md. Needs chromium, and golang-1.19-src, which has the viewer.
.PHONY: viewer
VIEWED := 05_double_buffer 11_stencil_2d
viewer: all
	@mkdir -p $(BUILD)/viewer
	@for l in $(VIEWED); do \
	  $(BUILD)/warpwait run examples/$$l/launch_opencl.json --timeline $(BUILD)/viewer/$$l.json >/dev/null || exit; \
	done
	@$(PYTHON) tests/timeline/viewer.py $(VIEWED:%=$(BUILD)/viewer/%.json)
	@$(PYTHON) tests/timeline/viewer.py $(BUILD)/viewer/$(firstword $(VIEWED)).json --picture docs/timeline-viewer.svg --size 1300,1000 --to 1026

# Opens the pages of all examples in headless Chromium, and fails on errors, warnings and network requests. Leaves pictures
# for review in build/page, rewrites those of docs/page.md and lesson 8, and measures how smoothly 100,000 slices pan.
.PHONY: page
page: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/html/pictures.py $(BUILD)/page --write
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/html/frames.py

# Rewrites the pictures of docs/plots.md and docs/sweep-analysis.md with the pages' own commands.
.PHONY: pictures
pictures: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/traces/plot_page.py --write
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/sweep/analysis_page.py --write

# Rewrites the outputs and pictures of docs/lessons, and the links from one lesson to the next.
.PHONY: lessons
lessons: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) -B tests/lessons/lessons.py --write

# Runs all points of examples/15_sweep, and rewrites the outputs and pictures of docs/study.md.
.PHONY: study
study: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/sweep/study_page.py --write

# Runs new and changed kernels under Oclgrind, or all with EVERY=--all, and rewrites docs/check-oclgrind.md.
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

# Host instructions per warp instruction of whole kernels, one of each class, compared with the last counts. `profile`
# shows which functions execute them. KERNELS="triad spmv" selects kernels.
.PHONY: bench-counts profile
bench-counts profile: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/counts.py $(if $(filter profile,$@),--profile) $(KERNELS)

# Host instructions to compile one instruction of a kernel from SPIR-V, as code of several shapes grows.
.PHONY: bench-lowering
bench-lowering: all
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/bench/lowering.py

$(BUILD)/launches: tests/bench/launches.c $(BUILD)/libwarpwait.a
	$(call say,CC )
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 $(SAN) -Iinclude -o $@ $^ $(API_LIBS)

$(BUILD)/enqueues: tests/bench/enqueues.c
	$(call say,CC )
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 $(SAN) -o $@ $< -lOpenCL

# ---- comparison with a real GPU: tests/hw ------------------------------------------------------

HW := WARPWAIT=$(BUILD)/warpwait WARPWAIT_HW_CACHE=$(BUILD)/hw/outcomes.sqlite $(PYTHON) tests/hw
.PHONY: validate validate-apps calibrate accuracy measure $(addprefix accuracy-,rows second leaveout ablation displaced apps apps-later apps-ablation apps-leaveout)
# CSV: files of measurements (default: the project's own). MACHINE: a built-in machine or a machine file.
VALIDATE_ROWS ?= 1500
MACHINE ?= h200
validate: all
	@$(HW)/validate.py $(CSV) --machine $(MACHINE) --sample $(VALIDATE_ROWS)

# APPS: options for the script, such as APPS="--only sgemm_tile -- --registers 64".
validate-apps: all
	@$(HW)/validate_apps.py --machine $(MACHINE) $(APPS)

# Starts from MACHINE's values, fits them to CSV, and writes the machine file OUT.
OUT ?= $(BUILD)/hw/calibrated.ini
calibrate: test-packages all
	@mkdir -p $(dir $(OUT))
	@$(HW)/calibrate.py $(CSV) --machine $(MACHINE) --out $(OUT)
	@echo "wrote $(OUT)"

# Computes PARTS again, then rewrites docs/accuracy.md with its pictures and, for h200, the error that reports state. Other
# parts keep their results in docs/accuracy. An empty PARTS computes none.
# ROWS: files of measurements. The parts rows and second then compute only the rows of these files.
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
# Fails if a kernel's result is wrong, but not if its predicted time is far off: the page explains that.
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

# For the machine with the GPU. Without nvcc, builds only the programs in OpenCL.
measure:
	@tests/hw/measure/build $(BUILD)/hw/measure

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp' 'sim/page/*.js' 'sim/playground/*.js')

# ---- installing ----------------------------------------------------------------------------------

# A word of the shell, whatever is in it: DESTDIR and PREFIX may hold blanks, quotes and the like.
quoted = '$(subst ','\'',$1)'
# Prints a path as pkg-config and CMake read it, escaped by backslashes, and that as sed's s|a|b| takes it.
escaped = printf '%s\n' $(call quoted,$1) | sed -e 's/[][ "'\''$$`\#&();<>|\*?~!{}]/\\&/g' -e 's/[\&|]/\\&/g'

# Files for pkg-config and CMake, with this installation's paths, version and libraries.
API_FILES := warpwait.pc warpwait-config.cmake warpwait-config-version.cmake
$(API_FILES:%=$(BUILD)/api/%): $(BUILD)/api/%: packaging/%.in force
	@mkdir -p $(@D)
	@prefix=$$($(call escaped,$(PREFIX))) && libdir=$$($(call escaped,$(LIBDIR))) && \
	sed -e "s|@PREFIX@|$$prefix|; s|@LIBDIR@|$$libdir|" -e 's|@VERSION@|$(VERSION)|; s|@LIBS@|$(API_LIBS)|' \
	  -e 's|@SHARED@|$(SHARED)|; s|@SONAME@|$(SONAME)|' $< > $@

# Folders below PREFIX: for libraries, and where Debian's Python searches for packages.
LIBDIR        ?= lib
PYTHON_FOLDER ?= lib/$(shell $(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/dist-packages

# One line per file: its mode, its path here, and its path below PREFIX.
LIST = { \
  echo 755 $(BUILD)/warpwait bin/warpwait; \
  echo 755 bindings/python/warpwait-plot bin/warpwait-plot; \
  echo 755 bindings/python/warpwait-sweep bin/warpwait-sweep; \
  echo 755 bindings/icd/warpwait-exec share/warpwait/warpwait-exec; \
  echo 644 $(DRIVER) $(call quoted,$(LIBDIR))/warpwait/$(notdir $(DRIVER)); \
  echo 644 include/warpwait.h include/warpwait.h; \
  echo 644 include/warpwait/analyse.h include/warpwait/analyse.h; \
  echo 644 $(BUILD)/libwarpwait.a $(call quoted,$(LIBDIR))/libwarpwait.a; \
  echo 644 $(BUILD)/$(SHARED) $(call quoted,$(LIBDIR))/$(SHARED); \
  echo link $(SHARED) $(call quoted,$(LIBDIR))/$(SONAME); \
  echo link $(SONAME) $(call quoted,$(LIBDIR))/libwarpwait.so; \
  echo 644 $(BUILD)/api/warpwait.pc $(call quoted,$(LIBDIR))/pkgconfig/warpwait.pc; \
  for f in $(filter %.cmake,$(API_FILES)); do echo 644 $(BUILD)/api/$$f $(call quoted,$(LIBDIR))/cmake/warpwait/$$f; done; \
  for f in $(BUILD)/man/*.1; do echo 644 $$f share/man/man1/$${f\#\#*/}; done; \
  echo 644 $(BUILD)/completion/warpwait.bash share/bash-completion/completions/warpwait; \
  echo 644 $(BUILD)/completion/_warpwait share/zsh/site-functions/_warpwait; \
  echo 644 $(BUILD)/completion/warpwait.fish share/fish/vendor_completions.d/warpwait.fish; \
  echo 644 sim/sweep/slurm/sweep.sbatch share/warpwait/sweep.sbatch; \
  echo 755 sim/playground/serve.py share/warpwait/serve.py; \
  [ ! -f $(BUILD)/playground/warpwait.wasm ] || (cd $(BUILD)/playground && find . -type f) | \
    while read f; do echo 644 $(BUILD)/playground/$$f share/warpwait/playground/$$f; done; \
  find bindings/python/warpwait -name '*.py' -o -name py.typed | \
    while read f; do echo 644 $$f $(call quoted,$(PYTHON_FOLDER))/$${f\#bindings/python/}; done; }

# If root installs for the whole system, the dynamic linker's cache must list the library.
LISTED = @[ -n $(call quoted,$(DESTDIR)) ] || [ "$$(id -u)" != 0 ] || ldconfig
install: all $(API_FILES:%=$(BUILD)/api/%)
	@$(LIST) | packaging/install $(call quoted,$(DESTDIR)$(PREFIX))
	$(LISTED)

uninstall:
	@packaging/install --undo $(call quoted,$(DESTDIR)$(PREFIX))
	$(LISTED)

# ---- a wheel -------------------------------------------------------------------------------------

# The Python package with its own library, for pip. Debian's setuptools builds it, without a network.
.PHONY: wheel
wheel: export BUILD := $(BUILD)
wheel: export CC := $(CC)
wheel: $(BUILD)/python/$(SONAME)
	@$(PYTHON) -c 'import setuptools, wheel, pip' 2>/dev/null || \
	  { echo "make wheel: pip, setuptools or wheel is missing: apt-get install python3-pip python3-setuptools python3-wheel"; exit 2; } >&2
	$(call say,WHL)
	@rm -rf $(BUILD)/wheel
	$(Q)$(PYTHON) -m pip wheel --quiet --no-build-isolation --no-deps --no-index --wheel-dir $(BUILD)/wheel .
	@ls -sh $(BUILD)/wheel/*.whl

# ---- Debian packages -----------------------------------------------------------------------------

.PHONY: deb deb-packages deb-test
deb: deb-packages
	$(call say,DEB)
	@packaging/deb $(BUILD)/deb $(VERSION)

# Installs, uses and purges the packages in a fresh Debian 12, in a temporary folder.
deb-test: deb
	@folder=$$(mktemp -d) && tests/packages/installed $(BUILD)/deb $$folder && rmdir $$folder

# ---- the playground: WebAssembly -----------------------------------------------------------------

include sim/playground/playground.mk

clean:
	rm -rf $(BUILD)

# Dependency files below $(BUILD)/deb belong to the separate tree in which the packages are built.
-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -name '*.d' -print 2>/dev/null)
