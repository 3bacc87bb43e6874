# The playground (docs/playground.md): the command line as WebAssembly, built with Debian's Emscripten, in one static folder.

WASM := $(BUILD)/wasm
# Emscripten's scripts need Debian's Node.js modules.
EMCC := NODE_PATH=/usr/share/nodejs emcc

WASM_FOLDERS := $(filter-out tools/import sim/api tools/api opencl/clang,$(C_FOLDERS)) sim/cli tools/verbs tools/playground
# tools/playground replaces some of these files. Only verbs that the playground lacks need the others.
WASM_LEFT_OUT := sim/cli/main.c sim/base/file_nameless.c $(wildcard tools/sweep/store*.c) \
  $(addprefix tools/sweep/,functional.c metrics.c points.c replay.c session.c) sim/base/workers_threads.c \
  sim/base/crew.c sim/cli/processes.c sim/cli/complete.c $(addprefix tools/verbs/,load_systemc.c trace_verbs.c sweep_verbs.c verb_python.c)
WASM_SOURCES  := opencl/clang/source_name.c \
  $(filter-out $(WASM_LEFT_OUT),$(foreach d,$(WASM_FOLDERS),$(wildcard $(d)/*.c)))
WASM_OBJ      := $(WASM_SOURCES:%=$(WASM)/obj/%.o) $(WASM)/obj/presets.o $(WASM)/obj/page_template.o

WASM_JANSSON := dump error hashtable hashtable_seed load memory pack_unpack strbuffer strconv utf value version
WASM_ZLIB    := adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil
WASM_PNG     := png pngerror pngget pngmem pngpread pngread pngrio pngrtran pngrutil pngset pngtrans pngwio pngwrite pngwtran pngwutil
WASM_OBJ     += $(WASM_JANSSON:%=$(WASM)/obj/jansson/%.o) $(WASM_ZLIB:%=$(WASM)/obj/zlib/%.o) $(WASM_PNG:%=$(WASM)/obj/libpng1.6/%.o)

WASM_CFLAGS = -std=c17 -D_GNU_SOURCE $(HEAP) $(WARN) -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math \
  -I. -isystem tools/playground/libc -isystem $(WASM)/include -MMD -MP
# Each command runs in a new instance, which the module's function creates. exit() ends it and flushes its buffers.
WASM_LDFLAGS := -O2 -s MODULARIZE=1 -s EXPORT_NAME=warpwait_module -s EXPORTED_RUNTIME_METHODS=callMain,FS \
  -s INVOKE_RUN=0 -s EXIT_RUNTIME=1 -s FORCE_FILESYSTEM=1 -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=2147483648 \
  -s TOTAL_STACK=8388608 -s ENVIRONMENT=worker

# The same verbs and replacements as a native program, so that tests find missing symbols without Emscripten.
PLAYGROUND_SHELL := $(filter-out $(addprefix tools/playground/,calloc.c ini.c libc.c),$(WASM_SOURCES))
$(BUILD)/playground-shell: $(PLAYGROUND_SHELL:%=$(BUILD)/obj/%.o) $(filter %.v3.o %/presets.o %/page_template.o,$(LIB_OBJ))
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -Wl,--as-needed -ljansson -linih -lpng -lz -lm

# Debian does not build jansson, libpng and zlib for WebAssembly, so we compile their source. The headers copied from
# /usr/include suit any architecture.
$(WASM)/include/jansson.h: tools/playground/sources
	$(call say,GET)
	$(Q)tools/playground/sources $(WASM)/sources >/dev/null
	@mkdir -p $(@D)
	@cp /usr/include/ini.h /usr/include/jansson_config.h /usr/include/xxhash.h $(@D)
	@: >$(@D)/jansson_private_config.h
	@cp $(WASM)/sources/zlib/zlib.h $(WASM)/sources/zlib/zconf.h $(WASM)/sources/jansson/src/jansson.h \
	  $(WASM)/sources/libpng1.6/png.h $(WASM)/sources/libpng1.6/pngconf.h $(@D)
	@cp $(WASM)/sources/libpng1.6/scripts/pnglibconf.h.prebuilt $(@D)/pnglibconf.h

$(WASM_OBJ): | $(WASM)/include/jansson.h

$(WASM)/obj/%.c.o: %.c
	$(call say,EM )
	@mkdir -p $(@D)
	$(Q)$(EMCC) $(WASM_CFLAGS) -c -o $@ $<

$(WASM)/obj/presets.o $(WASM)/obj/page_template.o: $(WASM)/obj/%.o: $(BUILD)/gen/%.c
	$(call say,EM )
	@mkdir -p $(@D)
	$(Q)$(EMCC) $(WASM_CFLAGS) -c -o $@ $<

# These macros replace jansson's configure script. They are right for any current C library.
$(WASM)/obj/jansson/%.o: | $(WASM)/include/jansson.h
	$(call say,EM )
	@mkdir -p $(@D)
	$(Q)$(EMCC) -O2 -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_TIME_H -DHAVE_GETTIMEOFDAY -DHAVE_STRTOLL -DHAVE_LOCALE_H \
	  -DINITIAL_HASHTABLE_ORDER=3 -I$(WASM)/include -c -o $@ $(WASM)/sources/jansson/src/$*.c

$(WASM)/obj/zlib/%.o: | $(WASM)/include/jansson.h
	$(call say,EM )
	@mkdir -p $(@D)
	$(Q)$(EMCC) -O2 -w -I$(WASM)/include -c -o $@ $(WASM)/sources/zlib/$*.c

$(WASM)/obj/libpng1.6/%.o: | $(WASM)/include/jansson.h
	$(call say,EM )
	@mkdir -p $(@D)
	$(Q)$(EMCC) -O2 -w -I$(WASM)/include -c -o $@ $(WASM)/sources/libpng1.6/$*.c

$(WASM)/obj/isa/lanes.c.o: WASM_CFLAGS += -O3
$(WASM)/obj/tools/playground/calloc.c.o $(WASM)/obj/tools/playground/libc.c.o: HEAP :=

$(WASM)/warpwait.js: $(WASM_OBJ) tools/playground/playground.mk
	$(call say,EML)
	$(Q)$(EMCC) $(WASM_LDFLAGS) -o $@ $(WASM_OBJ)

# ---- the folder ---------------------------------------------------------------------------------

PLAYGROUND       := $(BUILD)/playground
PLAYGROUND_PAGE  := $(wildcard tools/playground/*.html tools/playground/*.css tools/playground/*.js)
PLAYGROUND_MODES := javascript clike properties
CODEMIRROR       := /usr/share/javascript/codemirror

.PHONY: playground playground-packages playground-folder playground-test
playground: playground-packages
	@$(MAKE) --no-print-directory -j$$(nproc) playground-folder
	@echo "$(PLAYGROUND): $$(du -sh --apparent-size $(PLAYGROUND) | cut -f 1); to serve it, run $(BUILD)/warpwait playground"

playground-folder: $(PLAYGROUND)/warpwait.js $(PLAYGROUND)/examples.json $(PLAYGROUND)/licenses.txt \
  $(PLAYGROUND)/codemirror/codemirror.js $(PLAYGROUND_PAGE:tools/playground/%=$(PLAYGROUND)/%)

$(PLAYGROUND)/warpwait.js: $(WASM)/warpwait.js
	@mkdir -p $(@D)
	@cp $(WASM)/warpwait.wasm $< $(@D)

$(PLAYGROUND_PAGE:tools/playground/%=$(PLAYGROUND)/%): $(PLAYGROUND)/%: tools/playground/%
	@mkdir -p $(@D)
	@cp $< $@

$(PLAYGROUND)/codemirror/codemirror.js: $(CODEMIRROR)/codemirror.js
	@mkdir -p $(@D)
	@cp $(CODEMIRROR)/codemirror.css $(foreach m,$(PLAYGROUND_MODES),$(CODEMIRROR)/mode/$m/$m.js) $< $(@D)

$(PLAYGROUND)/examples.json: tools/playground/bundle.py $(BUILD)/warpwait $(wildcard examples/*/* docs/lessons/*/*)
	$(call say,PY )
	@mkdir -p $(@D)
	$(Q)$(PYTHON) tools/playground/bundle.py $(BUILD)/warpwait $@

# The MIT, BSD and similar licenses of third-party code require that the folder contains them.
$(PLAYGROUND)/licenses.txt: LICENSE NOTICE $(WASM)/include/jansson.h
	@mkdir -p $(@D)
	@for f in NOTICE LICENSE $(WASM)/sources/jansson/LICENSE $(WASM)/sources/libpng1.6/LICENSE $(WASM)/sources/zlib/LICENSE \
	    $(patsubst %,/usr/share/doc/%/copyright,libxxhash-dev libjs-codemirror emscripten); do \
	  echo "==== $${f#$(WASM)/sources/}"; echo; cat $$f; echo; \
	done >$@

# Compares the WebAssembly and the page in headless Chromium with the command line. Needs chromium.
playground-test: playground
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/playground/wasm_test.py $(PLAYGROUND)
	@WARPWAIT=$(BUILD)/warpwait $(PYTHON) tests/playground/page_test.py
