package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
	"oneshot/prompts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toolbox defines a read, a read that takes an address, a write,
// an exec and a read with a default.
const toolbox = `
name: look
description: Look something up.
signature: "look(q: string): string"
examples: [{call: "look(\"a\")"}, {call: "look({q: \"b\"})"}, {call: "look('c')"}]
effect: read
builtin: look
---
name: fetch
description: Fetch a page.
signature: "fetch(uri: string): string"
parameters: {uri: {type: string, format: uri, description: Its address.}}
examples: [{call: "fetch(\"http://a.test/\")"}, {call: "fetch(\"http://b.test/\")"}, {call: "fetch(\"http://c.test/\")"}]
effect: read
builtin: fetch
---
name: put
description: Write a file.
signature: "put(path: string): string"
examples: [{call: "put(\"a\")"}, {call: "put(\"b\")"}, {call: "put(\"c\")"}]
effect: write
builtin: put
---
name: launch
description: Run a command.
signature: "launch(argv: string[]): string"
examples: [{call: "launch([\"ls\"])"}, {call: "launch([\"a\"])"}, {call: "launch([\"b\"])"}]
effect: exec
builtin: launch
---
name: list
description: List a folder.
signature: "list(dir: string, limit?: integer): string[]"
parameters:
  dir: {type: string}
  limit: {type: integer, default: 10}
examples: [{call: "list(\"a\")"}, {call: "list(\"b\", 5)"}, {call: "list(\"c\")"}]
effect: read
builtin: list
`

// A step is one reply of the model.
type step func(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error)

// A rig runs an agent with a scripted model, tools and recorder, and logs all of their calls in
// order.
type rig struct {
	t     *testing.T
	cfg   agent.Config
	steps []step
	// do executes the calls of a tool; a tool without an entry returns its arguments.
	do map[string]func(ctx context.Context, args string) (chat.Result, error)
	// fail is the number, from 1, of the Append or Sync that fails; 0 for none.
	fail int
	// settle, if set, is called before that failure.
	settle func()

	requests []chat.Request
	records  []runfile.Body
	recorded int // calls of Append and Sync; no lock: they come from one goroutine

	mu  sync.Mutex
	log []string
}

func newRig(t *testing.T, steps ...step) *rig {
	r := &rig{t: t, steps: steps, do: map[string]func(context.Context, string) (chat.Result, error){}}
	r.cfg = agent.Config{
		GateConfig: agent.GateConfig{
			Runner: r, Recorder: r, Tools: registry(t), Limits: agent.DefaultLimits(),
			Policy: policy.Policy{Flags: policy.FlagRules{Allow: []string{"put"}}},
		},
		Model: r, Texts: prompts.FS,
		Prompt: "What is new?",
		Now:    time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
	}
	return r
}

func registry(t *testing.T) *tool.Registry {
	t.Helper()
	reg, findings := readToolbox()
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return reg
}

// readToolbox reads the toolbox once; runs share the tools.
var readToolbox = sync.OnceValues(func() (*tool.Registry, []diag.Finding) {
	defs, findings := tool.Loader{}.Parse("toolbox.yaml", []byte(toolbox))
	if len(findings) > 0 {
		return nil, findings
	}
	return tool.NewRegistry(defs...)
})

// difference describes how two values differ. It is "" without a comparison if they are deeply
// equal.
func difference[T any](want, got T, opts ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, opts...)
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

// seen returns the log so far.
func (r *rig) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.log...)
}

var errNoStep = errors.New("the script is over")

// Reply plays the model.
func (r *rig) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	r.note("ask %s", req.Purpose)
	req.Messages = append([]chat.Message(nil), req.Messages...)
	r.requests = append(r.requests, req)
	if len(r.steps) == 0 {
		return chat.Response{}, errNoStep
	}
	next := r.steps[0]
	r.steps = r.steps[1:]
	return next(ctx, req, delta)
}

// Run executes a call.
func (r *rig) Run(ctx context.Context, x chat.Execution) (chat.Result, error) {
	args := string(x.Call.Arguments)
	r.note("start %s %s", x.Call.Name, args)
	defer r.note("end %s %s", x.Call.Name, args)
	if do := r.do[x.Call.Name]; do != nil {
		return do(ctx, args)
	}
	return chat.Success(json.RawMessage(args)), nil
}

var errDisk = errors.New("the disk is full")

// fails reports whether this use of the recorder fails.
func (r *rig) fails() bool {
	if r.recorded++; r.recorded != r.fail {
		return false
	}
	if r.settle != nil {
		r.settle()
	}
	return true
}

// Append keeps a record.
func (r *rig) Append(body runfile.Body) error {
	if r.fails() {
		r.note("append %s FAILS", label(body))
		return errDisk
	}
	r.note("append %s", label(body))
	r.records = append(r.records, body)
	return nil
}

// Sync is logged.
func (r *rig) Sync() error {
	if r.fails() {
		r.note("sync FAILS")
		return errDisk
	}
	r.note("sync")
	return nil
}

// label names a record for the log.
func label(body runfile.Body) string {
	switch b := body.(type) {
	case runfile.Call:
		if b.Early {
			return fmt.Sprintf("call %s early", b.ID)
		}
		return "call " + b.ID
	case runfile.Intent:
		return "intent " + b.Call
	case runfile.Result:
		return "result " + b.Call
	case runfile.Discarded:
		return "discarded " + b.Call
	}
	return string(body.Kind())
}

// run runs the agent. It checks that each decided call has exactly one final event.
func (r *rig) run() (agent.Outcome, error) {
	open := map[string]bool{}
	for _, record := range r.cfg.History {
		switch b := record.Body.(type) {
		case runfile.Call:
			open[b.ID] = true
		case runfile.Result:
			delete(open, b.Call)
		case runfile.Discarded:
			delete(open, b.Call)
		}
	}
	next := r.cfg.Observe
	r.cfg.Observe = func(e agent.Event) {
		switch e.Kind {
		case agent.EventCall:
			open[e.Call.ID] = true
		case agent.EventResult, agent.EventDropped:
			if !open[e.Call.ID] || e.Digest == "" {
				r.t.Errorf("%s of the call %q, which is not open", e.Kind, e.Call.ID)
			}
			delete(open, e.Call.ID)
		}
		if next != nil {
			next(e)
		}
	}
	out, err := r.runAgent(context.Background())
	for id := range open {
		r.t.Errorf("the outcome is missing of the call %q", id)
	}
	return out, err
}

// mustRun runs the agent to an answer.
func (r *rig) mustRun() agent.Outcome {
	r.t.Helper()
	out, err := r.run()
	if err != nil {
		r.t.Fatalf("Run: %v\nlog:\n%s", err, strings.Join(r.seen(), "\n"))
	}
	if len(r.steps) > 0 {
		r.t.Errorf("%d steps of the model were not asked for", len(r.steps))
	}
	return out
}

// wantLog compares the log.
func (r *rig) wantLog(want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.seen()); diff != "" {
		r.t.Errorf("log (-want +got):\n%s", diff)
	}
}

// last returns the newest message of a request, counted from 0.
func (r *rig) last(request int) string {
	r.t.Helper()
	if request >= len(r.requests) {
		r.t.Fatalf("only %d requests were made", len(r.requests))
	}
	messages := r.requests[request].Messages
	return messages[len(messages)-1].Content
}

// statuses returns the statuses of the calls, as "tool status code".
func statuses(out agent.Outcome) []string {
	var all []string
	for _, c := range out.Calls {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Tool, c.Status, c.Code)))
	}
	return all
}

func wantStatuses(t *testing.T, out agent.Outcome, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, statuses(out)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// wantError asserts the type of an error and returns it.
func wantError[T error](t *testing.T, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error is %T (%v), want %T", err, err, target)
	}
	return target
}

// reply is a complete response.
func reply(text string) chat.Response { return chat.Response{Content: text, Stop: chat.StopEnd} }

// says replies with one delta of text.
func says(text string) step {
	return func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		delta(chat.Delta{Content: text})
		return reply(text), nil
	}
}

// stops replies with one delta of text and a stop reason.
func stops(text string, stop chat.Stop) step {
	return func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		delta(chat.Delta{Content: text})
		return chat.Response{Content: text, Stop: stop}, nil
	}
}

// breaks replies with one delta of text and then an error.
func breaks(text string, err error) step {
	return func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		if text != "" {
			delta(chat.Delta{Content: text})
		}
		return chat.Response{Content: text}, err
	}
}

// calls writes statements in one fence.
func calls(statements ...string) string {
	return "```tool\nreturn " + strings.Join(statements, ";\nreturn ") + ";\n```\n"
}

const answer42 = `{"answer": "42"}`

// ending is the usual end of a run.
func ending() []step { return []step{says(calls("finalResponse()")), says(answer42)} }

// then prepends steps to the usual ending.
func then(steps ...step) []step { return append(steps, ending()...) }

func mustSchema(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, findings := schema.Compile("test", []byte(text))
	if s == nil {
		t.Fatal(findings)
	}
	return s
}
