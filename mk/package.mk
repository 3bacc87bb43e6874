# Installing and packaging.

.PHONY: install uninstall site
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
  echo 644 $(SYSTEMC) libexec/warpwait/$(notdir $(SYSTEMC)); \
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
  echo 644 tools/sweep/slurm/sweep.sbatch share/warpwait/sweep.sbatch; \
  echo 755 tools/playground/serve.py share/warpwait/serve.py; \
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

# Builds a static site of all pages in build/site/html, with the playground if `make playground` has built it.
site: site-packages
	@packaging/site $(BUILD)/site $(BUILD)/playground
