# make build, demo, test, check, memory, fuzz, crash, e2e, bench. Each does one thing; .ci/run calls them.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X oneshot/cmd.version=$(VERSION)
FUZZ    ?= 10s
# Without this the race detector makes every child process wait a second at its end.
export GORACE := atexit_sleep_ms=0

# Tests of the program as it is built: without the C library, whose place the runtime takes then.
PLAIN := CGO_ENABLED=0 $(GO) test -count=1
# The programs in scripts, a module of its own, work in the folder of the project.
RUN   := $(GO) run -C scripts -exec 'env -C ..'
# The same with the largest inputs, and those that are many.
FULL  := ONESHOT_TESTS=long $(PLAIN)

# The packages that start goroutines, or are called from several: there the race detector can find something. A test holds
# the list. Elsewhere it only makes tests many times as slow; make test-long uses it everywhere.
RACED := ./pkg/subprocess ./pkg/events ./pkg/agent ./pkg/executor ./pkg/runfile ./pkg/fileroot ./cmd ./pkg/provider ./pkg/netguard ./pkg/batch
# The others, the long ones first.
OTHER := ./pkg/dialect ./pkg/lint $(filter-out $(RACED) ./pkg/dialect ./pkg/lint,$(shell $(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | sed -n 's|^oneshot/|./|p'))

# Tests of those packages that the detector slows down most and that start no goroutine of ours: programs in a sandbox, large
# results. make test runs them without it, make test-long with it.
SLOW  := ^(TestAsNobody|TestSandbox|TestLeaks|TestExecCases|TestFitRecord|TestDamagedReferences|TestLargeResultIsCut)$$

.PHONY: all build demo test test-long check memory fresh fuzz crash corpus e2e bench clean

all: check build

build: ## the program, as ./oneshot
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o oneshot .

demo: build ## a real run with real tools and the built-in demo model: no server, no key
	./oneshot demo

test: export TMPDIR := $(shell scripts/tmpdir)
test: ## every test, with the race detector where goroutines are
	$(GO) test -race -timeout 9m -skip '$(SLOW)' $(RACED)
	CGO_ENABLED=0 $(GO) test -timeout 9m -run '$(SLOW)' ./pkg/subprocess ./pkg/executor ./pkg/runfile
	CGO_ENABLED=0 $(GO) test -timeout 9m $(OTHER)
	cd scripts && $(PLAIN) -timeout 9m -parallel 8 ./...

test-long: ## every test with the race detector, then every test with the largest inputs
	$(GO) test -race -timeout 20m $(RACED) $(OTHER)
	cd scripts && $(GO) test -race -count=1 -timeout 20m -parallel 4 ./...
	$(FULL) -timeout 20m $(OTHER) $(RACED)
	cd scripts && $(FULL) -timeout 20m -parallel 4 ./...

check: ## what has to hold before a change goes in
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'gofmt: the files above are not formatted'; exit 1; }
	scripts/language
	$(GO) mod verify
	@for module in . scripts; do (cd $$module && \
		$(GO) vet ./... && \
		CGO_ENABLED=0 GOOS=darwin $(GO) build ./... && \
		$(GO) mod tidy -diff && \
		$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...) || exit 1; done
	$(PLAIN) -tags crash ./pkg/failpoint
	cd scripts && $(PLAIN) -run 'Layers|Fresh|Docs|Links|Examples|README|ExitTable' ./endtoend
	$(FULL) ./pkg/netguard ./pkg/subprocess ./pkg/executor ./pkg/fileroot
	$(FULL) ./pkg/dialect/... ./pkg/literal ./pkg/provider/... ./pkg/jsonrepair ./pkg/lint ./pkg/redact
	$(FULL) -run 'CutResults|HostileReplies' ./pkg/policy ./pkg/agent
	cd scripts && $(FULL) ./bench
	cd scripts && $(FULL) -run '^TestScript$$/(exec|policy|tools|http|attack|contract_6|contract_9)|^TestServerScripts$$/.*/fault_size' ./endtoend

memory: ## every reply of a hostile server, over each protocol, large records and long batches: how much memory a run takes
	cd scripts && $(FULL) -timeout 30m -run '(Reply|Record|Batch)Memory' ./endtoend

fresh: ## rewrite the generated parts of docs, and the golden files
	$(GO) test ./pkg/dialect ./pkg/tool ./pkg/prompt ./pkg/provider -update
	cd scripts && $(GO) test ./endtoend -update

fuzz: ## every fuzz target for $(FUZZ)
	scripts/fuzz $(FUZZ)

crash: ## kill oneshot wherever it writes, and look whether it can be trusted afterwards
	@$(RUN) ./crash $(ARGS)

corpus: ## the cases of other parsers, in the folder $(CORPUS); ARGS=-v shows what fails
	@$(RUN) ./corpus -corpus '$(CORPUS)' $(ARGS)

e2e: ## against a real Ollama server, built from source the first time
	scripts/ollama-e2e

bench: ## one table, and bench.json; ARGS="-only B10" makes one of them
	$(RUN) ./bench $(ARGS)

clean:
	rm -f oneshot bench.json
