package cmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/provider"
)

// flagTable is the table of flags, in the order of the help of run.
func flagTable(o *options) []flagGroup {
	return []flagGroup{
		{"Common", o.commonFlags()}, {"Prompt", o.promptFlags()}, {"Budgets", o.budgetFlags()},
		{"Batch", o.batchFlags()}, {"Request", o.requestFlags()}, {"Policy", o.policyFlags()}, {"Record", o.recordAndResumeFlags()},
	}
}

func (o *options) commonFlags() []flagRow {
	defaults := agent.DefaultLimits()
	return []flagRow{
		{name: "model", short: "m", on: forRun, agent: isKey, defaults: settable, field: list(&o.model.names), completes: modelPrefixes(), resume: mayChange,
			help: "use `MODEL`: " + providerNames() + ", demo, or replay:RUN (file, ID or \"last\"); repeat it for fallbacks; default: the only model of Ollama"},
		{name: "model", short: "m", on: forBatch, agent: isKey, field: list(&o.model.names), completes: modelPrefixes(), resume: unrecorded,
			help: "use `MODEL`: " + providerNames() + "; repeat it for fallbacks; default: the only model of Ollama"},
		{name: "tools", on: forRun | forBatch | forPrompt | forCall | forTools, agent: isKey | isPath, field: list(&o.tools.paths), completes: fileNames(), resume: mayChange, replay: inherited,
			help: "load tool definitions from `PATH`, a file or folder (repeatable), e.g. --tools tools.yaml; FILE@sha256:HEX pins a file"},
		{name: "tool", on: forRun | forBatch | forPrompt | forCall | forTools, agent: isKey, field: list(&o.tools.globs), completes: listed(toolNames), resume: mayChange, replay: inherited,
			help: "make tools matching `GLOB` available (repeatable), e.g. --tool 'vault_*'"},
		{name: "root", on: forRun | forBatch | forCall, agent: isKey | isPath | widens, field: text(&o.confine.root, ""), completes: folderNames(), resume: mayChange, replay: inherited,
			help: "let file tools work in `DIR` and run programs there (default none), e.g. --root notes"},
		{name: "schema", on: forRun | forBatch, agent: isKey | isPath, field: textOnce(&o.schema), completes: fileNames(), resume: mayChange, replay: inherited,
			help: "check the answer against the JSON Schema in `FILE`, or the schema itself, e.g. --schema digest.schema.json"},
		{name: "input", on: forRun, agent: isKey | isPath, field: list(&o.prompt.input.names), completes: fileNames(), resume: startOnly,
			help: "add `FILE`, a folder, a quoted glob or - (stdin) to the prompt as data (repeatable); piped stdin is read anyway, e.g. --input log.txt"},
		{name: "attach", on: forRun, agent: isKey | isPath, field: list(&o.prompt.attach), completes: fileNames(), resume: startOnly,
			help: "send `FILE` with the prompt: a PNG, JPEG, GIF or WebP image or a PDF document (repeatable), e.g. --attach scan.png"},
		{name: "system", on: forRun | forBatch | forPrompt, agent: isKey | isPath, field: textOnce(&o.prompt.system), completes: fileNames(), resume: fixed, replay: inherited,
			help: "begin the system prompt with the text of `FILE`, e.g. --system editor.md"},
		{name: "output", on: forRun, agent: isKey, field: text(&o.output, "json"), completes: oneOf("json", "envelope", "text", "events"), resume: unrecorded,
			help: "print `FORMAT`: json, envelope, text, or events as they happen; without --schema, text also asks the model for plain text"},
		{name: "output-file", short: "o", on: forRun, agent: isKey | isPath, field: text(&o.file, ""), completes: fileNames(), resume: unrecorded,
			help: "write the output to `FILE` instead of stdout, atomically, e.g. -o digest.json"},
		{name: "events", on: forRun, noKey: "belongs to one run", field: text(&o.events, ""), completes: fileNames(), resume: unrecorded,
			help: "write events to `FILE` or the descriptor fd://N besides the output; a slow reader never delays a live run, e.g. --events fd://3"},
		{name: "stream", on: forRun, noKey: "depends on who reads the output", field: optional(&o.stream, streamAll), completes: oneOf(streamAll, streamAnswer), resume: unrecorded,
			help: "with --output text, print text as it arrives: `WHICH` is all (each turn) or, with --stream=answer, the answer alone, once tools are done; a run that fails may already have printed text"},
		{name: "verbose", on: forRun, noKey: "depends on who reads stderr", defaults: settable, field: toggle(&o.verbose), resume: unrecorded,
			help: "print progress on stderr even if it is not a terminal: each request and call, and a summary"},
		{name: "prompt", on: forBatch, field: text(&o.batch.prompt, ""), completes: nothing("free text"), resume: unrecorded,
			help: "send `TEXT` for each record; ${FIELD} names a field of the record, e.g. --prompt 'Summarize ${review}'"},
		{name: "output-file", short: "o", on: forBatch, field: text(&o.file, ""), completes: fileNames(), resume: unrecorded,
			help: "append a line for each record to `FILE`; the same command continues it (default: stdout), e.g. -o answers.jsonl"},
		{name: "max-turns", on: forRun | forBatch, agent: isKey, defaults: lowers, field: count(&o.limits.Turns, defaults.Turns), resume: mayChange, replay: inherited,
			help: "allow at most `N` requests to the model, e.g. --max-turns 5"},
		{name: "timeout", on: forRun | forBatch, agent: isKey, defaults: lowers, field: duration(&o.limits.Wall, defaults.Wall), resume: mayChange, replay: inherited,
			help: "limit the wall-clock time of the run to `DURATION`, e.g. --timeout 90s"},
		{name: "policy", on: forRun | forBatch | forCall, agent: isKey | isPath | adds, field: list(&o.policy.files), completes: fileNames(), resume: mayChange, replay: widening,
			help: "load the policy in `FILE` (repeatable); every policy must allow a call, e.g. --policy policy.yaml"},
		{name: "allow", on: forRun | forBatch | forCall, agent: isKey | widens, field: list(&o.policy.allow), completes: listed(toolNames), resume: mayChange, replay: widening,
			help: "allow tools matching `GLOB` to make changes (repeatable); not with --policy, whose rules decide"},
		{name: "agent", on: forRun | forBatch | forPrompt | forCall | forList, noKey: "an agent file includes no other", field: textOnce(&o.agent), completes: installedAgents(), resume: startOnly,
			help: "read flags from the agent file `FILE`, or from the agent NAME in the configuration directory; command-line flags override it, e.g. --agent digest.yaml"},
		{name: "run-file", on: forRun, noKey: "belongs to one run", field: text(&o.record.file, ""), completes: fileNames(), resume: startOnly,
			help: "record the run in a new `FILE` (default: in the state directory)"},
	}
}

func (o *options) promptFlags() []flagRow {
	return []flagRow{
		{name: "prompt-file", on: forRun, agent: isKey | isPath, field: textOnce(&o.prompt.file), completes: fileNames(), resume: startOnly,
			help: "read the prompt from `FILE` instead of the argument"},
		{name: "prompt-file", on: forBatch, agent: isKey | isPath, field: textOnce(&o.prompt.file), completes: fileNames(), resume: startOnly,
			help: "read the prompt from `FILE` instead of --prompt"},
		{name: "stdin-wait", on: forRun, agent: isKey, field: duration(&o.prompt.input.wait, stdinWait), resume: unrecorded,
			help: "wait at most `DURATION` for the first byte of a pipe on stdin; --input - waits until --timeout"},
		{name: "no-stdin", on: forRun, agent: isKey, field: toggle(&o.prompt.input.noStdin), resume: unrecorded,
			help: "ignore stdin unless - names it, e.g. in a loop that reads it"},
		{name: "allow-empty-input", on: forRun, agent: isKey, field: toggle(&o.prompt.input.allowEmpty), resume: unrecorded,
			help: "accept an empty --input instead of exit 3"},
		{name: "allow-empty-input", on: forBatch, agent: isKey, field: toggle(&o.prompt.input.allowEmpty), resume: unrecorded,
			help: "accept a file without records instead of exit 3"},
		{name: "trust-input", on: forRun | forBatch, noKey: "only the command line trusts the input", field: toggle(&o.prompt.trustInput), resume: fixed, replay: widening,
			help: "trust the input: allow calls that it spells out, and do not label it untrusted"},
		{name: "var", on: forRun | forBatch | forPrompt, noKey: "vars declares variables and their defaults", field: list(&o.prompt.variables.values), completes: nothing("free text"), resume: fixed, replay: inherited, merges: true,
			help: "set a variable with `K=V`: replace ${K} with V in the prompt, --system and --answer-description (repeatable); V is trusted like the prompt; $${K} is a literal ${K}"},
		{name: "var-file", on: forRun | forBatch, noKey: "belongs to one run", field: list(&o.prompt.variables.files), completes: nothing("shells cannot list files after K="), resume: fixed, replay: inherited,
			help: "with `K=FILE`, add FILE to the input as block [K] and replace ${K} in the prompt with its name (repeatable), e.g. --var-file ticket=42.txt"},
		{name: "answer-description", on: forRun | forBatch, agent: isKey, field: text(&o.prompt.answerDescription, ""), completes: nothing("free text"), resume: fixed, replay: inherited,
			help: "describe the expected answer to the model in `WORDS`"},
		{name: "dialect", on: forRun | forBatch, agent: isKey, field: text(&o.model.dialect, "auto"), completes: dialectNames(), resume: fixed, replay: inherited,
			help: "have calls written in the dialect `NAME`, e.g. tool, toolcalls or hermes; native is the server's tool-call field, auto is native if every model can, else tool"},
		{name: "leaked-calls", on: forRun | forBatch, agent: isKey, field: text(&o.model.leaked, "report"), completes: oneOf("report", "run"), resume: fixed, replay: inherited,
			help: "take `ACTION` on calls that a server passes on as text although calls are native: report them, or run them under the rules of written calls"},
		{name: "dialect", on: forPrompt, agent: isKey, field: text(&o.model.dialect, "auto"), completes: dialectNames(),
			help: "have calls written in the dialect `NAME`, e.g. tool (auto is the same here), toolcalls, hermes or native"},
		{name: "now", on: forRun | forBatch, agent: isKey, field: text(&o.now, ""), completes: nothing("a time"), resume: fixed, replay: inherited,
			help: "show the model RFC 3339 `TIME` as the current time"},
		{name: "tz", on: forRun | forBatch, agent: isKey, defaults: settable, field: text(&o.zone, ""), completes: nothing("Go cannot list time zones"), resume: fixed, replay: inherited,
			help: "set the time zone of the run to `ZONE`, e.g. --tz Europe/Berlin"},
	}
}

func (o *options) budgetFlags() []flagRow {
	defaults := agent.DefaultLimits()
	return []flagRow{
		{name: "max-calls", on: forRun | forBatch, agent: isKey, defaults: lowers, field: count(&o.limits.Calls, defaults.Calls), resume: mayChange, replay: inherited,
			help: "allow at most `N` tool calls"},
		{name: "max-identical-calls", on: forRun | forBatch, agent: isKey, defaults: lowers, field: count(&o.limits.Repeats, defaults.Repeats), resume: mayChange, replay: inherited,
			help: "allow at most `N` calls of one tool with the same arguments"},
		{name: "max-repairs", on: forRun | forBatch, agent: isKey, defaults: lowers, field: count(&o.limits.Repairs, defaults.Repairs), resume: mayChange, replay: inherited,
			help: "send an invalid answer back at most `N` times"},
		{name: "max-total-tokens", on: forRun | forBatch, agent: isKey, defaults: lowers, field: count(&o.limits.Tokens, 0), resume: mayChange, replay: inherited,
			help: "limit the tokens of all requests together to `N` (0: no limit)"},
		{name: "max-cost", on: forRun, agent: isKey, defaults: lowers, field: dollars(&o.limits.Cost), resume: mayChange, replay: inherited,
			help: "limit the cost of all requests to `USD` (0: no limit), e.g. --max-cost 0.50; the prices of all models must be known"},
		{name: "max-cost", on: forBatch, agent: isKey, defaults: lowers, field: dollars(&o.limits.Cost), resume: mayChange,
			help: "limit the cost of each run to `USD` (0: no limit), e.g. --max-cost 0.01; the prices of all models must be known"},
		{name: "first-byte-timeout", on: forRun | forBatch, agent: isKey, defaults: settable, field: duration(&o.model.servers.firstByte, 5*time.Minute), resume: mayChange,
			help: "wait at most `DURATION` for the first text, reasoning or call of a response, model loading included"},
		{name: "idle-timeout", on: forRun | forBatch, agent: isKey, defaults: settable, field: duration(&o.model.servers.idle, time.Minute), resume: mayChange,
			help: "wait at most `DURATION` for each next byte of a response"},
	}
}

func (o *options) requestFlags() []flagRow {
	s := &o.model.servers
	return []flagRow{
		{name: "responder", on: forRun | forBatch, agent: isKey, defaults: settable, field: text(&o.model.responder, ""), completes: modelPrefixes(), resume: fixed,
			help: "ask `MODEL` for the final answer"},
		{name: "base-url", on: forRun | forBatch | forDoctor, agent: isKey, defaults: settable, field: list(&s.baseURLs), completes: nothing("an address"), resume: mayChange, isAddress: true,
			help: "send model requests to `URL`, or with PROVIDER=URL those of one provider (repeatable; default: the provider's own; OLLAMA_HOST for Ollama)"},
		{name: "api", on: forRun | forBatch | forDoctor, agent: isKey, defaults: settable, field: text(&s.api, ""), resume: mayChange,
			completes: oneOf(provider.APIs()...),
			help:      "set the protocol of --base-url to `API`: " + strings.Join(provider.APIs(), ", ") + "; --model is then the server's model name"},
		{name: "api-key", on: forRun | forBatch | forDoctor, agent: isKey, field: list(&s.keys), completes: nothing("a reference to a secret"), resume: mayChange, mayHoldKey: true,
			help: "authenticate with `KEY`, a reference such as '${secret:NAME}' to a --secret or an environment variable; PROVIDER=KEY is for one provider (repeatable; default: the provider's variable)"},
		{name: "header", on: forRun | forBatch | forDoctor, agent: isKey, field: list(&s.headers), completes: nothing("free text"), resume: mayChange, mayHoldKey: true,
			help: "add the header `K=V` to model requests (repeatable); credentials only as ${secret:NAME}"},
		{name: "secret", on: forRun | forBatch | forDoctor | forCall, noKey: "an agent must not choose which secrets of its user are read", field: list(&s.secrets.values), completes: nothing("shells cannot list names after NAME="), resume: mayChange,
			help: "define ${secret:NAME} with `NAME[@HOST,...]=SOURCE`, only for these hosts; SOURCE is env:VAR, file:PATH (mode 0600) or command:PROGRAM ARGS (repeatable)"},
		{name: "ca-file", on: forRun | forBatch | forDoctor, noKey: "belongs to the machine", field: text(&s.caFile, ""), completes: fileNames(), resume: mayChange,
			help: "trust the CA certificates (PEM) in `FILE`, besides the system's"},
		{name: "proxy", on: forRun | forBatch | forDoctor, noKey: "belongs to the machine", field: text(&s.proxy, ""), completes: nothing("an address"), resume: mayChange, isAddress: true,
			help: "reach the model through the proxy at `URL`: http, https or socks5; proxy variables in the environment are ignored"},
		{name: "temperature", on: forRun | forBatch, agent: isKey, defaults: settable, field: decimal(&o.model.temperature), resume: fixed, replay: inherited,
			help: "set the sampling temperature to `NUMBER` (default: the server's)"},
		{name: "seed", on: forRun | forBatch, agent: isKey, field: integer(&o.model.seed), resume: fixed, replay: inherited,
			help: "set the sampling seed to `N` (default: the server's)"},
		{name: "effort", on: forRun | forBatch, agent: isKey, defaults: settable, field: text(&o.model.effort, ""), completes: example("low", "medium", "high"), resume: fixed, replay: inherited,
			help: "set the reasoning effort to `LEVEL`, as the server names it, e.g. --effort low"},
		{name: "param", on: forRun | forBatch, agent: isKey, field: list(&o.model.params), completes: nothing("each server has its own parameters"), resume: fixed, replay: inherited,
			help: "set the request parameter `K=V` (repeatable), e.g. --param num_ctx=16384, top_p=0.9 or max_tokens=2000"},
		{name: "dry-run", on: forRun | forBatch, noKey: "belongs to one run", field: toggle(&o.dryRun), resume: startOnly,
			help: "print the first request as JSON, credentials masked, and send nothing to the model"},
		{name: "dry-run", on: forCall, field: toggle(&o.dryRun),
			help: "print the policy decision and do not run the tool"},
		{name: "args", on: forCall, field: text(&o.args, "{}"), completes: nothing("a JSON object"),
			help: "pass the arguments as a `JSON` object; @FILE reads a file, - reads stdin"},
	}
}

func (o *options) policyFlags() []flagRow {
	return []flagRow{
		{name: "ask", on: forRun | forBatch | forCall, agent: isKey | adds, field: list(&o.policy.ask), completes: listed(toolNames), resume: mayChange, replay: inherited,
			help: "require approval for each call of tools matching `GLOB`, which may then make changes (repeatable), e.g. --ask file_put --approve tty"},
		{name: "deny", on: forRun | forBatch | forCall, agent: isKey | adds, field: list(&o.policy.deny), completes: listed(toolNames), resume: mayChange, replay: inherited,
			help: "deny all calls of tools matching `GLOB` (repeatable)"},
		{name: "read-only", on: forRun | forBatch | forCall, agent: isKey, field: toggle(&o.policy.readOnly), resume: mayChange, replay: inherited,
			help: "deny all changes"},
		{name: "enable-exec", on: forRun | forBatch | forCall, agent: isKey | widens, field: toggle(&o.policy.enableExec), resume: mayChange, replay: widening,
			help: "let tools run programs if a rule or --allow also allows it"},
		{name: "scope", on: forRun | forBatch | forCall, agent: isKey | widens, field: list(&o.policy.scopes), completes: listed(toolScopeNames), resume: mayChange, replay: widening,
			help: "grant the run the scope `NAME` (repeatable), e.g. --scope gmail.readonly"},
		{name: "connection", on: forRun | forBatch | forCall, agent: isKey | widens, field: list(&o.policy.connections), completes: listed(toolConnectionNames), resume: mayChange, replay: widening,
			help: "let tools use the connection `NAME` (repeatable), e.g. --connection calendar"},
		{name: "nonce", on: forRun | forBatch, agent: isKey, field: toggle(&o.policy.nonce), resume: mayChange, replay: inherited,
			help: "accept written calls only in fences marked with this run's random word; native calls are not affected"},
		{name: "approve", on: forRun | forBatch | forCall, agent: isKey, field: text(&o.approve.who, "never"), completes: example("never", "tty"), resume: mayChange, isProgram: true,
			help: "ask for approvals with `PROGRAM`, at the terminal (tty), or never, e.g. --approve ./approve.sh"},
		{name: "approve-call", on: forRun | forCall, noKey: "belongs to one run", field: list(&o.approve.calls), completes: nothing("only an error has it"), resume: unrecorded,
			help: "approve one call that waits, by the `APPROVAL` (sha256:…) in its error; oneshot run also needs --resume (repeatable)"},
		{name: "on-denied", on: forRun | forBatch, agent: isKey, field: text(&o.onDenied, "fail"), completes: oneOf("fail", "continue"), resume: mayChange, replay: inherited,
			help: "take `ACTION` if a change is denied: fail ends the run, continue tells the model"},
		{name: "on-unknown-outcome", on: forRun | forBatch, agent: isKey, field: text(&o.onUnknown, "stop"), completes: oneOf("stop", "report"), resume: once,
			help: "take `ACTION` if the resumed run was cut off during a change: stop ends it, report tells the model"},
		{name: "require-tool", on: forRun | forBatch, agent: isKey | adds, field: list(&o.require), completes: listed(toolNames), resume: mayChange, replay: inherited,
			help: "exit 7 unless a call of tool `NAME` succeeds (repeatable)"},
		{name: "allow-host", on: forRun | forBatch | forCall, agent: isKey | widens, field: list(&o.confine.allowHosts), completes: nothing("an address"), resume: mayChange, replay: widening,
			help: "let tools reach the private `HOST[:PORT]` (repeatable), e.g. --allow-host localhost:8080"},
		{name: "tts-command", on: forRun | forBatch | forCall, noKey: "a program of the machine", field: text(&o.confine.speaker, ""), completes: fileNames(), resume: mayChange, isProgram: true,
			help: "speak with `PROGRAM`, which reads text on stdin, for the tool say, e.g. --tts-command espeak-ng"},
		{name: "browser-command", on: forRun | forBatch | forCall, noKey: "a program of the machine", field: text(&o.confine.opener, ""), completes: fileNames(), resume: mayChange, isProgram: true,
			help: "open pages with `PROGRAM`, which gets the URL and is killed when the run ends, for the tool open_url, e.g. --browser-command xdg-open"},
	}
}

func (o *options) recordAndResumeFlags() []flagRow {
	return []flagRow{
		{name: "no-cache", on: forRun | forBatch, agent: isKey, field: toggle(&o.confine.noCache), resume: mayChange, replay: inherited,
			help: "do not use or keep cached results: ignore the cache key of tool definitions"},
		{name: "no-run-file", on: forRun, noKey: "only the command line runs without a record", field: toggle(&o.record.noRecord), resume: startOnly,
			help: "do not record the run"},
		{name: "resume", on: forRun, noKey: "belongs to one run", field: text(&o.record.resume, ""), completes: recordedRuns(), resume: unrecorded,
			help: "continue a recorded `RUN` (file, ID or \"last\"), e.g. --resume last"},
		{name: "answer", on: forRun, noKey: "belongs to one run", field: list(&o.answers.pairs), completes: nothing("free text"), resume: once, merges: true,
			help: "answer the question of a tool with `K=V` (repeatable), e.g. --resume last --answer 'content=the budget'"},
		{name: "live-tools", on: forRun, noKey: "belongs to one run", field: toggle(&o.record.liveTools), resume: fixed,
			help: "with --model replay:RUN: run the tools instead of replaying their results; changes need --allow or --policy"},
		{name: "lock", on: forRun | forBatch, agent: isKey, field: text(&o.lock, ""), completes: nothing("any name"), resume: mayChange,
			help: "allow one run with lock `NAME` at a time; exit 5 if the lock is held"},
	}
}

// define defines the flags of a command, which set the fields of o.
func (o *options) define(c *cobra.Command, env Env, on commands) {
	for r := range flagRows(o, on) {
		r.defineFor(c, env, o)
	}
}

// defineFor defines the flag of a command, and the values that shells offer for it.
func (r flagRow) defineFor(c *cobra.Command, env Env, o *options) {
	r.define(c.Flags())
	if r.completes.reason == "" && r.completes.values == nil && r.completes.list == nil {
		return // a switch, number or duration
	}
	_ = c.RegisterFlagCompletionFunc(r.name, r.completes.complete(env, o)) // the flag was defined above
}

// flagRows yields the flags of a command.
func flagRows(o *options, on commands) func(yield func(flagRow) bool) {
	return func(yield func(flagRow) bool) {
		for _, g := range flagTable(o) {
			for _, r := range g.rows {
				if r.on&on != 0 && !yield(r) {
					return
				}
			}
		}
	}
}
