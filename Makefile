# Builds the program and the library, and does what everybody needs. mk/ has the rest: tests, the laboratory, packages. `make
# help` lists the targets; CONTRIBUTING.md explains them and the layout of the code.

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
# Every object may go into a shared library: ours, which exports only what warpwait.h declares, or the tests' one.
CODEGEN  += -fPIC -fno-semantic-interposition
# This header replaces malloc() and its relatives, except in clients of the library, which clear HEAP below.
HEAP     := -include sim/base/heap.h
SAN      := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CFLAGS   += -std=c17 -D_GNU_SOURCE $(HEAP) $(WARN) $(CODEGEN) $(SAN) $(CPPFLAGS) -I. -Iinclude -MMD -MP
# No -Wpedantic and -Wconversion: what they find in the headers of SystemC and GoogleTest is not ours to fix.
CXXFLAGS += -std=c++17 -fPIC -Wall -Wextra -Wshadow -Werror -O2 -g $(SAN) $(CPPFLAGS) -I. -MMD -MP
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

C_FOLDERS := sim/base sim/core isa isa/asm opencl/clang opencl/llvm opencl/spirv opencl/ir opencl/lower opencl/passes opencl/emit opencl lds dma traces models models/mem sim/host \
  sim/launch sim/session sim/report sim/replay sim/check sim/api tools/timeline tools/page tools/sweep tools/explain tools/diff tools/trace tools/import tools/api
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
CLI_OBJ     := $(patsubst %,$(BUILD)/obj/%.o,$(filter-out sim/cli/main.c,$(wildcard sim/cli/*.c tools/verbs/*.c)))
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
API_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard sim/api/*.c tools/api/*.c))
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

# SystemC, which only `--host systemc` loads. It calls these functions of the program.
SYSTEMC      := $(BUILD)/warpwait-systemc.so
SYSTEMC_USES := heap_help heap_out_for heap_refuse heap_resume heap_suspend island_run waveform_advance
$(SYSTEMC): $(SYSTEMC_OBJ)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) -shared -o $@ $^ -Wl,--as-needed -lsystemc

$(BUILD)/warpwait: $(BUILD)/obj/sim/cli/main.c.o $(BUILD)/cli.a $(CORE) | $(SYSTEMC)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) $(SYSTEMC_USES:%=-Wl,--export-dynamic-symbol=%) -o $@ $^ $(LDLIBS)

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
$(BUILD)/obj/sim/cli/main.c.o: $(BUILD)/commit
$(BUILD)/obj/sim/cli/main.c.o: CPPFLAGS += $(COMMIT:%=-DWARPWAIT_COMMIT='"%"')

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

# The page that --html writes: tools/page, with d3's modules for scales, axes and zoom in order of dependency.
D3 := $(foreach part,array collection color dispatch ease format interpolate timer time time-format selection axis drag transition scale zoom,/usr/share/nodejs/d3-$(part)/dist/d3-$(part).min.js)
$(BUILD)/gen/page_template.c: tools/page/embed.awk tools/page/page.html $(sort $(wildcard tools/page/*.js tools/page/*.css tools/page/*.txt)) $(D3)
	@mkdir -p $(@D)
	@{ echo '/* Generated by the Makefile from tools/page. */'; echo '#include "tools/page/page.h"'; \
	  echo 'const unsigned char page_template[] = {'; \
	  LC_ALL=C awk -v folder=tools/page -v d3="$(D3)" -f tools/page/embed.awk tools/page/page.html | \
	    od -An -v -tu1 -w32 | sed 's/^ *//; s/  */,/g; s/$$/,/'; \
	  echo '0};'; echo 'const size_t page_template_bytes = sizeof page_template - 1;'; } > $@

$(BUILD)/obj/presets.o $(BUILD)/obj/page_template.o: $(BUILD)/obj/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
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

.PHONY: help docs clean format
help:
	@sed -n 's/^| `make\(.*\)` | \(.*\) |$$/make\1: \2/p' CONTRIBUTING.md | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/`//g'

docs: $(BUILD)/docgen
	$(BUILD)/docgen docs docs

# A separate program, because users do not need it.
$(BUILD)/docgen: $(patsubst %,$(BUILD)/obj/%.o,$(wildcard tools/docs/*.c)) $(CLI)
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

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp' 'tools/page/*.js' 'tools/playground/*.js')

include mk/test.mk
include mk/lab.mk
include mk/package.mk
include tools/playground/playground.mk

clean:
	rm -rf $(BUILD)

# Dependency files below $(BUILD)/deb belong to the separate tree in which the packages are built.
-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -name '*.d' -print 2>/dev/null)
