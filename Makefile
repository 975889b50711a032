# SPDX-License-Identifier: Apache-2.0
# A thin front for CMake: each target is a line or two that one could type.

PRESET ?= release
BUILD  := build/$(PRESET)
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all deps test bench bench-check install sanitize memcheck mutate-replay coverage \
        format format-check lint docs clean

all:
	cmake --preset $(PRESET)
	cmake --build $(BUILD) -j $(JOBS)

# Installs what scripts/packages.txt lists and this machine lacks.
deps:
	scripts/deps

test: deps
	$(MAKE) all
	ctest --preset $(PRESET) -j $(JOBS)

bench: deps
	$(MAKE) all
	$(BUILD)/bin/tidepool bench

bench-check: deps
	$(MAKE) all
	$(BUILD)/bin/tidepool bench --check

install: all
	DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(PREFIX)'

# Every sanitizer by both compilers, then valgrind.
sanitize: deps
	for preset in asan ubsan tsan asan-clang ubsan-clang tsan-clang; do \
	    scripts/check-preset $$preset || exit 1; \
	done
	$(MAKE) memcheck

memcheck: all
	scripts/memcheck $(BUILD)

# Breaks rules in a copy of the library, one at a time; each must turn a trace or a test red.
mutate-replay: deps
	$(MAKE) all
	tests/mutation/run

coverage: deps
	scripts/coverage

format:
	scripts/format

format-check:
	scripts/format --check

lint:
	scripts/lint

docs: deps
	$(MAKE) all
	cmake --build $(BUILD) --target docs

clean:
	rm -rf build
