# Everything a person or CI does with this repository. `make help` lists it.
SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# One release build serves the demo, the bench and the installation: the Swift runtime is linked
# statically, so that the binary runs where no toolchain is.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib
BIN = .build/release

.PHONY: help deps build release demo test sanitize bench rivals matrix mutants sim year fuzz clients exits drafts login-test bucket-demo bucket-test mcp-test shares torture recorded report-test \
  picture lint format install uninstall deb tarball tarball-test image image-test \
  wheel wheel-test release-files systemd-test clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

deps: ## installs missing system packages, after saying which
	@.ci/deps

build: deps ## debug build
	$(SWIFT) build

release: deps ## optimised build, Swift runtime linked statically
	$(RELEASE) --product trawl
	$(RELEASE) --product trawl-translate
	$(RELEASE) --product trawl-sandbox

demo: ## imitations of the APIs on this machine: sync, kill -9, proof; ten minutes, touches ./.demo only
	@.ci/demo

# So many tests at once: with all of them at once the servers among them wait longer for a turn than
# the programs under test wait for an answer.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
test: deps ## all tests; loopback only, a few minutes
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

# What shares memory between threads or hands it to C. The builds stay beside the usual one.
SANITIZED = TransportTests|MediaTests|CrawlTests|StoreTests

sanitize: deps ## the thread and the address sanitizer over what has threads; KIND=thread|address
	@for kind in $(or $(KIND),thread address); do .ci/sanitize $$kind '$(SANITIZED)' || exit 1; done

bench: release ## speed and memory beside a bare pipeline, Python and curl; PART=first|unchanged|..., SIZE=full, JSON=file
	@mkdir -p .bench
	$(SWIFT) build -c release --package-path Tests/Benchmarks --scratch-path .bench/build
	@.bench/build/release/bench $(BIN)/trawl Tests/Benchmarks .bench $(or $(SIZE),quick) "$(PART)" $(JSON)
	@[ -n "$(PART)" ] || .ci/limiter $(BIN)/trawl

# Its output goes through a filter, which must not hide that it failed.
rivals: release ## beside dlt and Sling, which come from PyPI into .build/rivals: the bench's list, then a list with faults
	@.ci/rivals
	@$(MAKE) --no-print-directory bench PART=rivals
	@.build/rivals/bin/python Tests/Benchmarks/rivals.py faults $(BIN)/trawl

matrix: SHELL = /bin/bash
matrix: .SHELLFLAGS = -o pipefail -c
matrix: deps ## every small list, paging, total and change: what is claimed, and what is false; LONGEST=5 ONLY=link
	$(SWIFT) build --build-tests
	@TRAWL_MATRIX=$(or $(LONGEST),5) TRAWL_MATRIX_ONLY="$(ONLY)" $(SWIFT) test --skip-build --disable-xctest \
	  --filter "ProofMatrixTests/matrix|CheckedWalkTests|FlightMatrixTests/matrix|LyingListTests|DriftTests|SimulationTests.SimulationTests" | grep -v ' started\.$$'

mutants: deps ## plants fourteen bugs, one by one, and shows that the tests catch each; ONLY="name name"
	@ONLY="$(ONLY)" Tests/Mutants/run

sim: deps ## whole simulated runs, one a seed, beyond those of the tests; SEEDS=20000 FROM=1000 KEEP=folder
	$(SWIFT) build -c release --product simulate
	@$(if $(KEEP),mkdir -p $(KEEP);TRAWL_KEEP=$(KEEP)) $(BIN)/simulate $(or $(SEEDS),20000) $(FROM)

fuzz: deps ## libFuzzer on what reads others' bytes, TIME=60 seconds each; ONLY="name name"
	@TIME=$(or $(TIME),60) ONLY="$(ONLY)" Tests/Fuzz/run

# Two years, or one told in full: `make year SEED=4`.
year: deps ## nights of a timer, compared with a known world: SEEDS=2 FROM=0 NIGHTS=366, or SEED=n
	$(SWIFT) build -c release --product simulate
	@$(if $(SEED),TRAWL_SEED=$(SEED)) $(BIN)/simulate year $(or $(NIGHTS),366) \
	  $(if $(SEED),1 $(SEED),$(or $(SEEDS),2) $(or $(FROM),0))

clients: deps ## six client libraries from PyPI, in .build/clients, against the sandbox on loopback
	$(SWIFT) build --product trawl-sandbox
	@.ci/clients .build/debug/trawl-sandbox

mcp-test: deps ## the official client of the Model Context Protocol, from PyPI in .build/mcp, asks trawl mcp; RECORD=folder
	$(SWIFT) build --product trawl
	$(SWIFT) build --product trawl-sandbox
	@.ci/mcp .build/debug

exits: deps ## DuckDB, PostgreSQL, Polars, Litestream and others keep copies by the lines of jobs/USING.md
	$(SWIFT) build --product trawl
	@.ci/exits .build/debug/trawl

drafts: deps ## trawl new against Datasette, Django REST, JupyterHub, Kinto, MediaWiki and docker-registry; ONLY="name name"
	$(SWIFT) build --product trawl
	@ONLY="$(ONLY)" .ci/drafts .build/debug/trawl

login-test: deps ## trawl key against a real provider, by forms and in chromium; django-oauth-toolkit into .build/login
	$(SWIFT) build --product trawl
	@.ci/login .build/debug/trawl

bucket-demo: deps ## three machines, five APIs, one bucket (SeaweedFS from PyPI, in .build/bucket): death, sleep, proof
	$(SWIFT) build --product trawl
	$(SWIFT) build --product trawl-sandbox
	@.ci/bucket .build/debug demo

# The figures are those of the optimised program; all else asks nothing of its speed.
bucket-test: $(if $(filter figures,$(PART)),release,deps) ## folders in a bucket: faults and chaos; CLAIMS=300 SEED=n STORE=moto PART="selftest|faults|chaos|endtoend|figures|one fault"
	$(if $(filter figures,$(PART)),,$(SWIFT) build $(if $(filter-out endtoend,$(PART)),--product trawl,--build-tests))
	@CLAIMS="$(CLAIMS)" SEED="$(SEED)" STORE="$(STORE)" SIZE="$(SIZE)" KEEP="$(KEEP)" ONLY="$(ONLY)" \
	  .ci/bucket $(if $(filter figures,$(PART)),$(BIN),.build/debug) $(or $(PART),faults endtoend chaos)

shares: deps ## how many manifests of a folder trawl-translate translates whole, each read from an imitation: MANIFESTS=folder
	@test -n "$(MANIFESTS)" || { echo "say where: make shares MANIFESTS=folder"; exit 64; }
	$(SWIFT) build --product trawl
	$(SWIFT) build --product trawl-translate
	@ONLY="$(ONLY)" .ci/shares .build/debug "$(MANIFESTS)"

torture: deps ## faults, kills and drift from fresh seeds; MINUTES=30
	@.ci/torture

recorded: deps ## what the jobs make of recorded answers: DIR=folder with <api>/<file>.json
	@test -n "$(DIR)" || { echo "say where: make recorded DIR=folder"; exit 64; }
	$(SWIFT) build --build-tests
	@TRAWL_RECORDED="$(abspath $(DIR))" $(SWIFT) test --skip-build --disable-xctest \
	  --filter RecordedTests

report-test: deps ## reports in a headless browser (chromium), an HTML checker (tidy) and axe-core (PyPI's axe-core-python)
	$(SWIFT) build --build-tests
	TRAWL_BROWSER=1 $(SWIFT) test --skip-build --disable-xctest --filter PageTests
	@[ ! -d .demo/reports ] || .ci/pages .demo/reports
	@[ ! -d .demo/reports ] || .ci/axe .demo/reports

picture: ## draws the README's picture of a report, from the demo's last run (chromium)
	@.ci/picture

lint: ## style and import direction; warnings are errors in every build
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests

format: ## rewrites the sources in house style
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

# What `make install` and the package put in place: path under PREFIX, then the file.
UNITS = trawl@.service trawl@.timer trawl-backfill@.service trawl-backfill@.timer trawl-failed@.service trawl-ended@.service
SYSCONFDIR ?= /etc

install: $(BIN)/trawl $(BIN)/trawl-translate ## programs, man pages, completions, units and job files under $(PREFIX)
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(BIN)/trawl $(BIN)/trawl-translate
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,share/man/man1 share/man/man5 share/bash-completion/completions \
	  share/zsh/site-functions share/fish/vendor_completions.d share/trawl/jobs \
	  $(addprefix share/doc/trawl/,.readme Sources systemd) lib/systemd/system lib/sysusers.d lib/tmpfiles.d lib/trawl)
	$(BIN)/trawl --manual-page > $(DESTDIR)$(PREFIX)/share/man/man1/trawl.1
	$(BIN)/trawl-translate --manual-page > $(DESTDIR)$(PREFIX)/share/man/man1/trawl-translate.1
	$(BIN)/trawl --manual-page trawl.json5 > $(DESTDIR)$(PREFIX)/share/man/man5/trawl.json5.5
	$(BIN)/trawl --completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/trawl
	$(BIN)/trawl --completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_trawl
	$(BIN)/trawl --completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/trawl.fish
	install -m 644 jobs/*.json5 jobs/*.schema.json jobs/README.md jobs/USING.md $(DESTDIR)$(PREFIX)/share/trawl/jobs
	@# Laid out as here, so that their links hold; those to the tests, which stay here, become plain words.
	for page in README.md CHANGELOG.md $(addprefix Sources/,README.md BUCKET.md EVIDENCE.md FORGETTING.md) systemd/README.md; do \
	  sed -E 's|\[([^]]*)\]\((\.\./)?Tests/[^)]*\)|\1|g' $$page | \
	    install -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/share/doc/trawl/$$page; done
	install -m 644 .readme/report.png .readme/readers.png $(DESTDIR)$(PREFIX)/share/doc/trawl/.readme
	install -m 644 systemd/schedule.conf systemd/private-networks.conf $(DESTDIR)$(PREFIX)/share/doc/trawl/systemd
	ln -sfn ../../trawl/jobs $(DESTDIR)$(PREFIX)/share/doc/trawl/jobs
	for unit in $(UNITS); do \
	  sed 's|/usr/bin/trawl|$(PREFIX)/bin/trawl|g; s|/usr/lib/trawl|$(PREFIX)/lib/trawl|g' systemd/$$unit \
	    > $(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit; done
	sed 's|(trawl |($(PREFIX)/bin/trawl |' systemd/failed | install -m 755 /dev/stdin $(DESTDIR)$(PREFIX)/lib/trawl/failed
	install -m 644 systemd/trawl.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/trawl.conf
	install -m 644 systemd/trawl.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/trawl.conf
	install -d $(addprefix $(DESTDIR)$(SYSCONFDIR)/,default trawl)
	@# What may have been edited stays as it is.
	[ -e $(DESTDIR)$(SYSCONFDIR)/default/trawl ] || \
	  install -m 644 systemd/trawl.default $(DESTDIR)$(SYSCONFDIR)/default/trawl
	[ -e $(DESTDIR)$(SYSCONFDIR)/trawl/alert ] || \
	  install -m 644 systemd/alert $(DESTDIR)$(SYSCONFDIR)/trawl/alert
	@[ -n "$(DESTDIR)" ] || echo "for timers: systemd-sysusers && systemd-tmpfiles --create && systemctl daemon-reload"

# Built only where it is missing: root may have no Swift toolchain.
$(BIN)/trawl $(BIN)/trawl-translate:
	$(MAKE) release

uninstall: ## removes what `make install` put there; data, keys and settings stay
	cd $(DESTDIR)$(PREFIX) && rm -rf bin/trawl bin/trawl-translate share/man/man1/trawl.1 share/man/man1/trawl-translate.1 \
	  share/man/man5/trawl.json5.5 share/trawl share/doc/trawl lib/trawl \
	  share/bash-completion/completions/trawl share/zsh/site-functions/_trawl \
	  share/fish/vendor_completions.d/trawl.fish lib/sysusers.d/trawl.conf lib/tmpfiles.d/trawl.conf \
	  $(addprefix lib/systemd/system/,$(UNITS))

deb: release ## Debian packages trawl and trawl-sandbox in .build/deb
	@TRAWL_BUILD=$(BIN) .ci/deb

tarball: deps ## in .build/tarball, with SQLite, simdjson and expat inside: Debian 12 and 13, Ubuntu 24.04
	@.ci/static
	@.ci/tarball

tarball-test: deps ## runs it in fresh roots of those (root, debootstrap): ROOTS="bookworm noble"
	@.ci/tarball-test $(ROOTS)

image: deps ## an OCI image in .build/image: one program, no shell, not root, /data as its volume
	@.ci/static
	@.ci/image

image-test: ## loads it into podman: volumes, a host's folder, a stop in the middle of a run (root)
	@.ci/image-test

wheel: deps ## in .build/wheel, for pip, pipx and uvx: the programs of the tarball; libcurl and OpenSSL are the system's
	@.ci/static
	@.ci/wheel

wheel-test: ## installs it with pip in a fresh root of Debian 12, and syncs (root)
	@.ci/wheel-test

release-files: deb ## all of these in .build/release-files, with checksums
	@.ci/static
	@.ci/tarball
	@.ci/image
	@.ci/wheel
	@.ci/release-files

systemd-test: deb ## a real systemd: timers, keys, sandbox, alerts; ROOT=debootstrap over a fresh Debian
	@Tests/SystemdTests/run $(if $(ROOT),--root $(ROOT))

clean: ## removes builds and the demo's folder
	rm -rf .build .build-* .demo .bench
