package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

const pair = `
name: look
description: Look something up.
signature: "look(q: string, page?: string, urls?: string[]): string"
parameters:
  q: {type: string}
  page: {type: string, format: uri}
  urls: {type: array, items: {type: string, format: uri}}
examples: [{call: "look(\"a\")"}, {call: "look(\"b\")"}, {call: "look(\"c\")"}]
effect: read
builtin: look
---
name: put
description: Write a file.
signature: "put(q: string): string"
examples: [{call: "put(\"a\")"}, {call: "put(\"b\")"}, {call: "put(\"c\")"}]
effect: write
builtin: put
`

// order is a runner that logs its calls. Reads take some time.
type order struct {
	mu  sync.Mutex
	log []string
}

func (o *order) Run(_ context.Context, x chat.Execution) (chat.Result, error) {
	o.note("start " + string(x.Call.Arguments))
	if x.Call.Name == "look" {
		time.Sleep(time.Second)
	}
	o.note("end " + string(x.Call.Arguments))
	return chat.Success(x.Call.Arguments), nil
}

func (o *order) note(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, strings.NewReplacer(`{"q":"`, "", `"}`, "").Replace(text))
}

func testGate(t *testing.T, r Runner) *Gate {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("pair.yaml", []byte(pair))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	registry, _ := tool.NewRegistry(defs...)
	cfg := GateConfig{Tools: registry, Runner: r, Policy: policy.Policy{Flags: policy.FlagRules{Allow: []string{"put"}}}}
	return newGate(cfg, newJournal(cfg, nil), untrustedData{})
}

func call(name, q string, priority float64) chat.Call {
	args, _ := json.Marshal(map[string]string{"q": q})
	return chat.Call{Name: name, Arguments: args, Priority: priority, Status: chat.StatusOK, Executable: true}
}

// M2: higher priority runs first, ties in order; a write is a barrier on both sides, even for a
// read that started early and comes later in the order.
func TestPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &order{}
		b := newBatch(t.Context(), testGate(t, runner))
		for _, c := range []chat.Call{
			call("look", "early", 0), call("put", "w1", 1), call("look", "r2", 2), call("put", "w3", 2),
			call("look", "r1", 1), call("put", "w4", 1), call("put", "last", -1),
		} {
			if err := b.add(c, nil); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait() // the first read is running
		if err := b.execute(); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"start early", "start r2", "end early", "end r2", "start w3", "end w3", "start w1", "end w1",
			"start r1", "end r1", "start w4", "end w4", "start last", "end last",
		}
		if diff := cmp.Diff(want[4:], runner.log[4:]); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		slices.Sort(runner.log[:4])
		if diff := cmp.Diff([]string{"end early", "end r2", "start early", "start r2"}, runner.log[:4]); diff != "" {
			t.Errorf("what runs before the first write (-want +got):\n%s", diff)
		}
		var shown []string
		for _, o := range b.promptResults() {
			shown = append(shown, o.Tool)
		}
		if diff := cmp.Diff([]string{"look", "put", "put", "look", "put", "look", "put"}, shown); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

// A call keeps its id.
func TestCallIDs(t *testing.T) {
	b := newBatch(t.Context(), testGate(t, &order{}))
	given := call("put", "a", 0)
	given.ID = "call_7"
	for _, c := range []chat.Call{given, call("put", "b", 0)} {
		if err := b.add(c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a, c := b.invocations[0].call.ID, b.invocations[1].call.ID; a != "call_7" || c == "" || a == c {
		t.Errorf("ids %q and %q", a, c)
	}
}

// A million faults of one call are reported as a few.
func TestMessages(t *testing.T) {
	s := &Invocation{call: chat.Call{Name: "look", Positional: true, Executable: true, Arguments: json.RawMessage(
		`[{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}]`)}}
	testGate(t, &order{}).tools.check(s, false)
	if !s.isRefused() || !strings.HasSuffix(s.result.Error.Message, "; and 3 more errors") {
		t.Errorf("result %+v", s.result.Error)
	}
}

// starts logs when calls start. A call takes no time.
type starts struct{ at []time.Time }

func (s *starts) Run(context.Context, chat.Execution) (chat.Result, error) {
	s.at = append(s.at, time.Now())
	return chat.Success("x"), nil
}

// P5: calls over a rate limit of the policy wait when they start, however early they were decided;
// the intent of a waiting change is not on record yet.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner, records := &starts{}, &noted{}
		gate := testGate(t, runner)
		gate.journal.to = records
		doc := `{"version":1,"tools":{"put":{"allow":[{}],"limit":{"rate":"2/s","burst":2}}}}`
		layer, faults := policy.Compile(json.RawMessage(doc), gate.cfg.Tools)
		if layer == nil {
			t.Fatal(faults)
		}
		gate.cfg.Policy.Layers = []*policy.Layer{layer}
		b := newBatch(t.Context(), gate)
		for _, q := range []string{"a", "b", "c", "d"} {
			if err := b.add(call("put", q, 0), nil); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second) // the response continues
		begin := time.Now()
		if err := b.execute(); err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Duration{0, 0, time.Second, time.Second} {
			if got := runner.at[i].Sub(begin); got != want || !records.intents[i].Equal(runner.at[i]) {
				t.Errorf("call %d starts after %v, want %v; its intent is of %v", i, got, want, records.intents[i].Sub(begin))
			}
		}
	})
}

// noted is a recorder that logs when intents are recorded.
type noted struct{ intents []time.Time }

func (n *noted) Append(body runfile.Body) error {
	if body.Kind() == runfile.KindIntent {
		n.intents = append(n.intents, time.Now())
	}
	return nil
}

func (n *noted) Sync() error { return nil }
