# The commands of this repository; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
TARGET ?=

# Debian's libraries are linked as they are; Swift's own runtime goes into the programs, so that
# they run where no toolchain is.
RELEASE := $(SWIFT) build -c release --static-swift-stdlib
BINARIES := .build/release
SWIFT_TEXT := Package.swift $(wildcard Sources Tests Benchmarks Fuzz)

.PHONY: help run test bench bench-daemon lint fuzz install clean packages bench-packages release

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

run: packages release ## build, start on 127.0.0.1:5335, prove that it filters (UPSTREAM=ADDR:PORT)
	@etc/quickstart.sh $(BINARIES)

test: packages ## build and run every test
	$(SWIFT) build --build-tests
	$(RELEASE)
	$(SWIFT) test --skip-build

bench: packages bench-packages release ## hold look-ups and compiling to limits (LIST=FILE: its cost)
	@Benchmarks/run $(BINARIES)

bench-daemon: packages release ## hold memory and start of the daemon to limits
	@Benchmarks/daemon $(BINARIES)

lint: ## the format and the habits of the tree
	$(SWIFT) format lint --strict --recursive $(SWIFT_TEXT)
	$(SWIFT) test --filter TidyTests

fuzz: packages ## push at every door of untrusted octets (FUZZ_SECONDS=60 TARGET=hosts)
	@Fuzz/run $(FUZZ_SECONDS) $(TARGET)

install: packages release ## install programs, man page, completion, unit, lists (DESTDIR= PREFIX=)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/sluice/lists \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/lib/systemd/system \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)/etc/sluice
	install -m 0755 $(BINARIES)/sluiced $(BINARIES)/sluice $(DESTDIR)$(PREFIX)/bin
	install -m 0644 etc/lists/*.txt $(DESTDIR)$(PREFIX)/share/sluice/lists
	install -m 0644 etc/sites.txt $(DESTDIR)$(PREFIX)/share/sluice/sites.txt
	$(BINARIES)/sluice help --man > $(DESTDIR)$(PREFIX)/share/man/man1/sluice.1
	$(BINARIES)/sluice help --completion bash \
	    > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sluice
	sed 's|/usr/local/|$(PREFIX)/|' systemd/sluice.service \
	    > $(DESTDIR)$(PREFIX)/lib/systemd/system/sluice.service
	@if [[ -e $(DESTDIR)/etc/sluice/sluice.yaml ]]; then \
	    echo "kept $(DESTDIR)/etc/sluice/sluice.yaml, which is there already"; \
	else \
	    install -m 0644 etc/sluice.yaml $(DESTDIR)/etc/sluice/sluice.yaml; \
	fi

clean: ## remove what was built, and the state of `make run`
	rm -rf .build .run

packages:
	@etc/install-packages.sh

bench-packages:
	@etc/install-packages.sh bench

release:
	$(RELEASE)
