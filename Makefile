# What there is to run. Each target is a line or a script in scripts/.

.PHONY: help setup install dist demo test verify fuzz bench bench-check format lint check-core check-platforms hit-cost guides docs examples clean
.DEFAULT_GOAL := help

# Not whole packages below: their .build directories hold other people's sources.
SWIFT_FORMAT_PATHS = Package.swift Sources Tests scripts \
  $(foreach package,Benchmarks Benchmarks/Remote Benchmarks/Scaling Examples/* Plugins/*,$(wildcard $(addprefix $(package)/,Package.swift Sources Tests)))

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing besides Swift
	@scripts/setup.sh

install: setup ## Build rangeio with all traits, and install it with its man page and completions: make install PREFIX=/usr/local
	@scripts/install.sh "$(or $(PREFIX),/usr/local)"

dist: setup ## Make an archive and a Debian package of rangeio for this machine, in dist/, and use them in an empty root
	@scripts/dist.sh

demo: setup ## Show what a program does with a file, beside pread on a pool of threads: make demo FILE=…
	@swift build -c release --product rangeio --traits Tool
	@"$$(swift build -c release --show-bin-path)/rangeio" demo $(if $(FILE),"$(FILE)")

test: setup ## Build without warnings and run all tests, or some: make test FILTER=… TRAITS=all
	@$(if $(TRAITS),scripts/setup-servers.sh && RANGEIO_TRAITS=$(if $(filter all,$(TRAITS)),$$(scripts/traits.sh),$(TRAITS))) \
	  scripts/test.sh $(if $(FILTER),--filter "$(FILTER)")

verify: setup ## What takes longer: every engine, long stress, many seeds, sanitizers
	@scripts/verify.sh

fuzz: setup ## Feed what takes bytes of strangers with libFuzzer: make fuzz SECONDS=60 TARGETS="segments urls" TRAITS=all
	@RANGEIO_TRAITS=$(if $(filter all,$(TRAITS)),$$(scripts/traits.sh),$(TRAITS)) \
	  scripts/fuzz.sh --seconds $(or $(SECONDS),60) $(TARGETS)

bench: setup ## Measure against other ways to read
	@Benchmarks/run.sh

bench-check: setup ## Name what got slower since the last release: both builds in turn, and instruction counts
	@Benchmarks/check.sh

format: ## Format all sources
	@swift format --in-place --parallel --recursive $(SWIFT_FORMAT_PATHS)

lint: ## Check the format of all sources, the contract of plugins, which folder knows which, that planted faults apply, links, figures and tests named in pages
	@swift format lint --strict --parallel --recursive $(SWIFT_FORMAT_PATHS)
	@scripts/check-plugins.sh
	@scripts/check-folders.sh
	@scripts/check-plants.sh --apply
	@scripts/check-links.sh
	@scripts/check-figures.sh
	@scripts/check-features.sh

check-core: ## Check that the core keeps its promises about imports and tasks
	@scripts/check-core.sh

check-platforms: setup ## Check on Linux that what is written for Apple platforms compiles
	@scripts/check-platforms.sh

hit-cost: setup ## Check that a hit takes no more instructions than it did: needs valgrind
	@scripts/check-hit-cost.sh

guides: setup ## Follow the guides to writing a source, a stage and a store, and compare what their programs print
	@scripts/check-guides.sh

docs: setup ## Make a site of all documentation in .build/docs; make docs LOOK=1 takes pictures of pages too
	@scripts/docs.sh $(if $(LOOK),--look)

examples: ## Build and run the examples, with the libraries that they need
	@scripts/check-examples.sh

clean: ## Remove everything that was built
	@rm -rf .build Examples/*/.build Benchmarks/.build Benchmarks/Remote/.build Benchmarks/Scaling/.build Package.resolved Examples/*/Package.resolved Benchmarks/Package.resolved Benchmarks/Remote/Package.resolved Benchmarks/Scaling/Package.resolved demo-data
