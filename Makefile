# ScanMill. Swift 6.3 is the only prerequisite; the rest is installed from Debian's packages if it is missing.
.PHONY: help setup build self-contained install demo test bench torture fuzz sanitize lint format docs clean

PACKAGES = zlib1g-dev libisal-dev libdeflate-dev libpng-dev libjpeg-dev libopenexr-dev libzip-dev liblz4-dev nettle-dev ffmpeg pkg-config python3 python3-venv unzip make
# Taken only from the command line: both folders are removed, and an OUT in the environment may hold a year of results.
OUT      = out/demo
MANUAL   = out/manual
PREFIX  ?= /usr/local
SHARE    = $(DESTDIR)$(PREFIX)/share
SCANMILL = .build/release/scanmill
SECONDS ?= 60
TARGET  ?= all
FUZZED   = $(if $(filter all,$(TARGET)),$(notdir $(wildcard Fuzz/corpus/*)),$(TARGET))
SUDO     = $(shell [ "$$(id -u)" = 0 ] || echo sudo)

help:
	@echo "make demo    build everything and run the main job on the samples; results in $(OUT)"
	@echo "make test    build everything and run the tests"
	@echo "make bench   measure against scripts, and against what the machine can do; JOB=voxels for one job"
	@echo "make torture kill runs, cut the power, fill the disk: the long form, an hour and root"
	@echo "make fuzz    throw damaged input at the readers: SECONDS=60 for each, TARGET=all or one of Fuzz/corpus"
	@echo "make sanitize   run the tests under the address and the thread sanitizer"
	@echo "make build   build the tool: $(SCANMILL)"
	@echo "make install build the tool with Swift's libraries inside, and copy it to $(PREFIX)/bin; pipelines, systemd units, the manual page and completions to $(PREFIX)/share"
	@echo "make lint    check the sources' format; make format puts it right"
	@echo "make docs    write the reference pages again from the stages, and the manual as HTML to $(MANUAL)"
	@echo "make clean   remove what was built"

setup:
	@command -v swift > /dev/null || { echo "Swift is missing: install Swift 6.3 from https://swift.org/install"; exit 1; }
	@missing=""; for p in $(PACKAGES); do \
	  [ "$$(dpkg-query -W -f '$${Status}' $$p 2> /dev/null)" = "install ok installed" ] || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then echo "installing$$missing"; \
	  $(SUDO) apt-get update -qq && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing > /dev/null; fi

# What the tool prints about itself, as a file below share/ that everybody may read, whatever the umask.
told = install -Dm 644 /dev/null $(SHARE)/$(1) && $(SCANMILL) $(2) > $(SHARE)/$(1)

# The installed tool has Swift's libraries inside: a service's own user may be unable to read the toolchain's. The
# program that explains crashes is looked for beside those libraries, so it is installed too.
SWIFT_LIBRARIES = $(shell swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
BACKTRACE       = $(SWIFT_LIBRARIES)/../../libexec/swift/linux/swift-backtrace-static

self-contained: setup
	swift build -c release --product scanmill --static-swift-stdlib --scratch-path .build-install

install: SCANMILL = .build-install/release/scanmill
install: self-contained
	install -Dm 755 $(SCANMILL) $(DESTDIR)$(PREFIX)/bin/scanmill
	install -Dm 755 $(BACKTRACE) $(DESTDIR)$(PREFIX)/libexec/scanmill/swift-backtrace
	install -Dm 644 -t $(SHARE)/scanmill/pipelines pipelines/*
	install -Dm 644 -t $(SHARE)/scanmill/systemd packaging/systemd/*
	sed -i 's:/usr/local/:$(PREFIX)/:g' $(SHARE)/scanmill/systemd/*
	$(call told,man/man1/scanmill.1,man-page)
	$(call told,bash-completion/completions/scanmill,--generate-completion-script bash)
	$(call told,zsh/site-functions/_scanmill,--generate-completion-script zsh)
	$(call told,fish/vendor_completions.d/scanmill.fish,--generate-completion-script fish)

build: setup
	swift build -c release --product scanmill

demo: build
	rm -rf $(OUT)
	$(SCANMILL) run pipelines/object-nerf.yaml samples/desk -o $(OUT)
	@echo; echo "$(OUT)/desk:"; cd $(OUT)/desk && ls -1p

# By default all tests begin at once, and each seems to take as long as all of them.
# Expanded at once (:=): make 4.4 hands exported variables to $(shell), and would expand this one for ever.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := $(shell echo $$((8 * $$(nproc))))
test: PACKAGES += cmark-gfm mandoc valgrind procps
test: setup
	@rm -f .build/tests-swift-testing.xml
	swift test -c release --xunit-output .build/tests.xml || { .ci/failures .build/tests-swift-testing.xml; exit 1; }

# The scripts' dependencies are installed from PyPI into a folder of their own below .build.
bench: self-contained
	python3 Tests/Benchmarks/bench.py $(foreach job,$(JOB),--job $(job)) $(BENCH_FLAGS)

# Tests that skip because something is missing, such as root or loop devices, say so aloud.
torture: PACKAGES += strace faketime e2fsprogs mount util-linux procps
torture: setup
	SCANMILL_TORTURE=full swift test -c release --filter TortureTests

# What a run learns stays in .build-fuzz/corpus; what it finds is put into .build-fuzz/found and, once minimised
# (-minimize_crash=1), belongs in Fuzz/corpus, which the tests replay. FUZZ_FLAGS go to libFuzzer.
fuzz: setup
	SCANMILL_FUZZ=1 swift build -c release --scratch-path .build-fuzz --sanitize=address --sanitize=fuzzer \
	  --product scanmill-fuzz
	@mkdir -p .build-fuzz/found
	@for target in $(FUZZED); do echo "== $$target"; mkdir -p .build-fuzz/corpus/$$target; \
	  SWIFT_BACKTRACE=enable=no SCANMILL_FUZZ_TARGET=$$target .build-fuzz/release/scanmill-fuzz -max_total_time=$(SECONDS) -max_len=2048 -keep_seed=1 \
	  -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=128 -print_final_stats=1 \
	  -artifact_prefix=.build-fuzz/found/$$target- $(FUZZ_FLAGS) \
	  .build-fuzz/corpus/$$target Fuzz/corpus/$$target || exit 1; done

# Tests that measure memory or speed say aloud that they skip: a sanitizer takes several times as much of both. Known
# findings are suppressed by function name, even in runs that find no symbolizer on their PATH.
sanitize: setup
	LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/leak-sanitizer.supp:print_suppressions=0 \
	  ASAN_OPTIONS=suppressions=$(CURDIR)/.ci/address-sanitizer.supp \
	  ASAN_SYMBOLIZER_PATH=$$(command -v llvm-symbolizer) \
	  swift test -c release --sanitize=address --scratch-path .build-asan
	TSAN_OPTIONS=suppressions=$(CURDIR)/.ci/thread-sanitizer.supp:external_symbolizer_path=$$(command -v llvm-symbolizer) \
	  swift test -c release --sanitize=thread --scratch-path .build-tsan

lint:
	swift format lint --strict -r Package.swift Sources Tests Fuzz

format:
	swift format --in-place -r Package.swift Sources Tests Fuzz

ARTICLES = Sources/ScanStages/ScanStages.docc

docs: PACKAGES += cmark-gfm
docs: build
	rm -rf $(OUT)/docs
	$(SCANMILL) docs $(OUT)/docs
	rm -rf $(ARTICLES)/Stages
	mv $(OUT)/docs $(ARTICLES)/Stages
	mv $(ARTICLES)/Stages/pipeline.schema.json pipelines/
	python3 packaging/manual/transcripts.py $(SCANMILL) . $(ARTICLES)/FirstNight.md
	python3 packaging/manual/manual.py $(ARTICLES) $(MANUAL)

clean:
	rm -rf .build .build-* out
