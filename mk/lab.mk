# The laboratory: benchmarks, comparison with a real GPU, and the pages and pictures that scripts write.

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

# ---- comparison with a real GPU: hw ------------------------------------------------------

HW := WARPWAIT=$(BUILD)/warpwait WARPWAIT_HW_CACHE=$(BUILD)/hw/outcomes.sqlite $(PYTHON) hw
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
	@$(PYTHON) hw/page.py

accuracy-rows:
	@$(HW)/validate.py --machine $(MACHINE) --worst 0 $(ROWS) $(if $(ROWS),--keep) --predictions docs/accuracy/rows.csv.gz
accuracy-second:
	@$(HW)/validate.py --machine $(MACHINE) --worst 0 $(or $(ROWS),hw/data/second/*.csv.gz --sample $(SECOND_ROWS)) $(if $(ROWS),--keep) \
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
	@hw/measure/build $(BUILD)/hw/measure

# Renders docs/notebooks with nbconvert, light and dark, and takes pictures of the pages.
.PHONY: notebook-pictures
notebook-pictures:
	@$(PYTHON) tests/python/pictures.py $(BUILD)/notebooks
