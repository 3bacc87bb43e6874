# Tests, and longer checks of the code.

# ---- tests: one binary per folder; tests/ct.cpp wraps GoogleTest ------------------------------

# What all tests share is linked once. The commit is not in it.
TESTED := $(BUILD)/tests/libtested.so
$(TESTED): $(CLI)
	$(call say,LD )
	@mkdir -p $(@D)
	$(Q)$(CXX) $(LDFLAGS) -shared -Wl,-Bsymbolic -o $@ -Wl,--whole-archive $^ -Wl,--no-whole-archive $(LDLIBS) -lsystemc

.SECONDEXPANSION:
$(TEST_BIN): $(BUILD)/tests/%: $$(patsubst $$(percent).c,$(BUILD)/obj/$$(percent).c.o,$$(wildcard tests/%/*.c)) \
    $$(patsubst $$(percent).cpp,$(BUILD)/obj/$$(percent).cpp.o,$$(wildcard tests/%/*.cpp)) \
    $(BUILD)/obj/tests/ct.cpp.o $(TESTED)
	$(call say,LD )
	@mkdir -p $(@D)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TESTED) -Wl,-rpath,'$$ORIGIN' -lgtest $(LDLIBS) $(TEST_LIBS)

# These tests also step islands with SystemC.
$(BUILD)/tests/host $(BUILD)/tests/models: TEST_LIBS := -lsystemc

percent := %

# These tests reach the driver through the OpenCL loader.
$(BUILD)/tests/icd: TEST_LIBS := -lOpenCL
$(BUILD)/tests/icd: | $(DRIVER)

# Tests of the library are clients, so they use the C library's malloc().
$(BUILD)/obj/tests/api/%.c.o $(BUILD)/obj/tests/icd/%.c.o $(BUILD)/obj/tests/fuzz/fuzz_api.c.o $(BUILD)/obj/tests/fuzz/fuzz_opencl.c.o $(BUILD)/obj/tests/exhaust/%.c.o: HEAP :=
# These define functions of the C library, whose names heap.h would redirect.
$(BUILD)/obj/tools/playground/calloc.c.o $(BUILD)/obj/tools/playground/libc.c.o $(BUILD)/obj/tests/playground/libc_test.c.o: HEAP :=
# The tests of the command line also check the generated reference texts.
$(BUILD)/tests/cli: $(BUILD)/obj/tools/docs/manual.c.o

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
  cli/terminal_test cli/strangers_test cli/streams_test cli/completion_test icd/exec_test images/reference_test images/opencl_test opencl/device_test
PLAIN   := prose/prose html/colors_test examples/readme_page traces/plot_test traces/plot_page cli/man_test cli/diff_page icd/log_test explain/explain_page sweep/analysis_test sweep/analysis_page \
  sweep/study_page check/page check/oclgrind lessons/lessons lessons/lessons_test layers once coupling behaves playground/serve_test api/installed_test \
  python/notebooks_test python/display_test python/api_test python/docs_test python/errors_test python/missing_test \
  python/package_test python/types_test exhaust/sample packages/packages_test runner_test
LONGEST := $(filter %/opencl %/cli,$(TEST_BIN)) # start first, so that the other cores do not wait for them at the end
# SKIP names test binaries that are not run.
TESTS   := $(LONGEST) $(if $(SANITIZE),,$(PLAIN:%=tests/%.py) tests/docs) $(patsubst tests/hw/%,hw/%,$(SCRIPTS:%=tests/%.py)) $(filter-out $(LONGEST),$(TEST_BIN))
TESTS   := $(filter-out $(SKIP:%=$(BUILD)/tests/%),$(TESTS))

# Caches what clang makes of the tests' OpenCL C. It depends on none of our code but opencl/clang, so the
# sanitizer builds share it.
CACHE ?= $(abspath $(BUILD))/cache
$(CACHE).made: $(wildcard opencl/clang/*.[ch])
	@cat $^ | cksum | cmp -s - $@ || rm -rf $(CACHE)
	@mkdir -p $(@D) && cat $^ | cksum >$@

.PHONY: check
check: all $(CACHE).made $(if $(SANITIZE),,$(BUILD)/exhaust) $(BUILD)/docgen $(BUILD)/playground-shell $(TEST_BIN) $(FUZZERS:%=$(BUILD)/obj/tests/fuzz/%.c.o)
	@PYTHON=$(PYTHON) WARPWAIT=$(BUILD)/warpwait DOCGEN=$(BUILD)/docgen WARPWAIT_CACHE=$(CACHE) \
	  WARPWAIT_HW_CACHE=$(BUILD)/hw/outcomes.sqlite tests/run $(BUILD)/tests/logs $(TESTS)

# What a change is most likely to break, in under two minutes on two cores.
QUICK_BIN := $(filter-out %/cli %/api %/examples %/functional %/opencl %/replay,$(TEST_BIN))
QUICK     := check/rules check/random_kernels check/random_handover check/reference_cases traces/reader_test traces/text_test \
  import/import_test cli/streams_test prose/prose layers runner_test examples/readme_page cli/diff_page check/page
.PHONY: test-quick
test-quick: all $(CACHE).made $(BUILD)/docgen $(QUICK_BIN)
	@PYTHON=$(PYTHON) WARPWAIT=$(BUILD)/warpwait DOCGEN=$(BUILD)/docgen WARPWAIT_CACHE=$(CACHE) RULES_PART=5 \
	  tests/run $(BUILD)/tests/logs-quick $(BUILD)/tests/models $(QUICK:%=tests/%.py) tests/docs $(filter-out %/models,$(QUICK_BIN))

# Hazards must not depend on optimization or timing: runs the checker's kernels at each level, then these and 200 random
# kernels on 20 random machines each, at random levels.
.PHONY: check-timings
check-timings: all
	@WARPWAIT=$(BUILD)/warpwait tests/check/rules.py --levels 0,1,2,3
	@WARPWAIT=$(BUILD)/warpwait tests/check/timings.py --timings 20 --part 1 --random 200

# Records the code of the corpus's kernels after an intended change of the compiler, and prints what changed.
.PHONY: corpus
corpus: $(BUILD)/tests/corpus
	@WARPWAIT_CACHE=$(CACHE) $< --gtest_brief=1 | grep ' instructions' || echo nothing has changed
	@CORPUS_WRITE=1 WARPWAIT_CACHE=$(CACHE) $< --gtest_brief=1 --gtest_filter='*row' >/dev/null

.PHONY: sanitize threads threads-programs layers behaves
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
