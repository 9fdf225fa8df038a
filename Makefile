# Everything a person or CI does with this repository. `make help` lists it.
SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# One release build serves the demo, the bench and the installation: the Swift runtime is linked
# statically, so that the binary runs where no toolchain is.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib
BIN = .build/release

.PHONY: help deps build release demo test bench torture lint format install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

deps: ## installs missing system packages, after saying which
	@.ci/deps

build: deps ## debug build
	$(SWIFT) build

release: deps ## optimised build, Swift runtime linked statically
	$(RELEASE) --product trawl
	$(RELEASE) --product trawl-sandbox

demo: ## imitations of the APIs on this machine: sync, kill -9, proof; touches ./.demo only
	@.ci/demo

test: deps ## all tests; loopback only, a few minutes
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

bench: release ## speed beside SQLite alone, and memory; about 2 minutes
	@mkdir -p .bench
	$(SWIFT) build -c release --package-path Tests/Benchmarks --scratch-path .bench/build
	@.bench/build/release/bench $(BIN)/trawl Tests/Benchmarks/things.json5 .bench

torture: deps ## faults, kills and drift from fresh seeds; MINUTES=30
	@.ci/torture

lint: ## style and import direction; warnings are errors in every build
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests

format: ## rewrites the sources in house style
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

install: release ## program, man page, completions, units and job files under $(PREFIX)
	install -D -m 755 $(BIN)/trawl $(DESTDIR)$(PREFIX)/bin/trawl
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,share/man/man1 share/bash-completion/completions \
	  share/zsh/site-functions share/fish/vendor_completions.d share/trawl/jobs lib/systemd/system)
	$(BIN)/trawl --manual-page > $(DESTDIR)$(PREFIX)/share/man/man1/trawl.1
	$(BIN)/trawl --completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/trawl
	$(BIN)/trawl --completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_trawl
	$(BIN)/trawl --completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/trawl.fish
	install -m 644 jobs/*.json5 jobs/*.schema.json jobs/README.md $(DESTDIR)$(PREFIX)/share/trawl/jobs
	for unit in systemd/trawl@.service systemd/trawl@.timer; do \
	  sed 's|/usr/bin/trawl|$(PREFIX)/bin/trawl|' $$unit \
	    > $(DESTDIR)$(PREFIX)/lib/systemd/system/$$(basename $$unit); done

clean: ## removes builds and the demo's folder
	rm -rf .build .demo .bench
