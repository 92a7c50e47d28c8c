# make build, demo, test, check, memory, fuzz, crash, e2e, bench. Each does one thing; .ci/run calls them.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X oneshot/cmd.version=$(VERSION)
FUZZ    ?= 10s
# Without this the race detector makes every child process wait a second at its end.
export GORACE := atexit_sleep_ms=0

# Tests of the program as it is built: without the C library, whose place the runtime takes then.
PLAIN := CGO_ENABLED=0 $(GO) test -count=1

.PHONY: all build demo test check memory fresh fuzz crash corpus e2e bench clean

all: check build

build: ## the program, as ./oneshot
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o oneshot .

demo: build ## a real run with real tools and the built-in demo model: no server, no key
	./oneshot run --model demo --tool 'vault_*' --tool file_read --root testdata/vault --schema testdata/readme/todo.schema.json 'What is left to do before release 0.2?'

test: ## every test, with the race detector, the long ones first; the scripts, which have clocks, run alone, and wait side by side
	$(GO) test -race -timeout 9m ./pkg/program ./pkg/dialect ./pkg/agent ./pkg/runner ./scripts/crash ./pkg/wire ./cmd/... ./pkg/... ./prompts ./scripts/... ./tooldefs
	$(GO) test -race -timeout 9m -parallel 4 .

check: ## what has to hold before a change goes in
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'gofmt: the files above are not formatted'; exit 1; }
	$(GO) vet ./...
	CGO_ENABLED=0 GOOS=darwin $(GO) build ./...
	$(GO) mod verify
	$(GO) mod tidy -diff
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	$(PLAIN) -tags crash ./pkg/fault
	$(PLAIN) -run 'Layers|Fresh|README|ExitTable' .
	$(PLAIN) ./pkg/netguard ./pkg/program ./pkg/runner ./pkg/vault
	$(PLAIN) ./pkg/dialect ./pkg/literal ./pkg/markup ./pkg/wire ./pkg/mend ./pkg/lint ./pkg/secret ./scripts/bench
	$(PLAIN) -run 'CutResults|ReplyLongLine|HostileReplies' ./pkg/policy ./pkg/model ./pkg/agent
	$(PLAIN) -short -run '(Reply|Record)Memory' .
	$(PLAIN) -run 'Script/(exec|policy|tools|http|attack|contract_6|contract_9)|ServerScripts/.*/fault_size' .

memory: ## every reply of a hostile server, over each protocol: how much memory a run takes
	$(PLAIN) -run ReplyMemory .

fresh: ## rewrite the generated parts: README tables, golden files
	$(GO) test . ./pkg/dialect ./pkg/tool ./pkg/prompt -update

fuzz: ## every fuzz target for $(FUZZ)
	scripts/fuzz $(FUZZ)

crash: ## kill oneshot wherever it writes, and look whether it can be trusted afterwards
	@$(GO) run ./scripts/crash $(ARGS)

corpus: ## the cases of other parsers, in the folder $(CORPUS); ARGS=-v shows what fails
	@$(GO) run ./scripts/corpus -corpus '$(CORPUS)' $(ARGS)

e2e: ## against a real Ollama server, built from source the first time
	scripts/ollama-e2e

bench: ## one table, and bench.json; ARGS="-only B10" makes one of them
	$(GO) run ./scripts/bench $(ARGS)

clean:
	rm -f oneshot bench.json
