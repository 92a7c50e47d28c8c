package agent

import (
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
	"oneshot/prompts"
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

// order is a runner that logs what it runs. Reads take their time.
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

func testRun(t *testing.T, r Runner) *run {
	t.Helper()
	defs, findings := tool.Parse("pair.yaml", []byte(pair))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	registry, _ := tool.NewRegistry(defs...)
	var texts fs.FS = prompts.FS
	run, err := newRun(Config{Tools: registry, Texts: texts, Runner: r, Policy: policy.Rules{Allow: []string{"put"}}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func call(name, q string, priority float64) chat.Call {
	args, _ := json.Marshal(map[string]string{"q": q})
	return chat.Call{Name: name, Arguments: args, Priority: priority, Status: chat.StatusOK, Executable: true}
}

// M2: higher priority first, ties in order; a write is a barrier on both sides,
// also for a read that started early and comes later in the order.
func TestPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &order{}
		b := newBatch(t.Context(), testRun(t, runner))
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
		var told []string
		for _, o := range b.outcomes() {
			told = append(told, o.Tool)
		}
		if diff := cmp.Diff([]string{"look", "put", "put", "look", "put", "look", "put"}, told); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

// A call keeps the id that it came with.
func TestCallIDs(t *testing.T) {
	run := testRun(t, &order{})
	b := newBatch(t.Context(), run)
	given := call("put", "a", 0)
	given.ID = "call_7"
	for _, c := range []chat.Call{given, call("put", "b", 0)} {
		if err := b.add(c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a, c := b.slots[0].call.ID, b.slots[1].call.ID; a != "call_7" || c == "" || a == c {
		t.Errorf("ids %q and %q", a, c)
	}
}

// The hosts of a call are those of every URL in it, however deep or escaped.
func TestFacts(t *testing.T) {
	for args, want := range map[string][]string{
		`{"q":"milk"}`: nil,
		`{"q":"x","urls":["http://a.test/","https://b.test:8/x"]}`: {"a.test:80", "b.test:8"},
		`{"q":"x","page":"mailto:a@b.test"}`:                       {"mailto:a@b.test"},
		`{"q":"http:\/\/a.test\/"}`:                                {"a.test:80"},
		`{"q":"\u0068ttps://A.test"}`:                              {"A.test:443"},
		`{"q":"http://ok.test:80@evil.test/"}`:                     {"evil.test:80"},
		`{"q":"http://[::1]/"}`:                                    {"[::1]:80"},
		`{"q":"ftp://a.test/"}`:                                    {"a.test:"},
		`{"q":"see http://a.test/"}`:                               {"see http://a.test/"},
		`{"q":"http://a b/"}`:                                      {"http://a b/"},
		`{"q":"a","q":"http://a.test/"}`:                           {"?"},
	} {
		def, _ := testRun(t, &order{}).cfg.Tools.Get("look")
		got := facts(&slot{call: chat.Call{Name: "look", Arguments: json.RawMessage(args)}, def: def})
		if diff := cmp.Diff(policy.Facts{Tool: "look", Effect: tool.Read, Scopes: []string{}, Hosts: want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

// A million faults of one call are told as a few.
func TestMessages(t *testing.T) {
	s := &slot{call: chat.Call{Name: "look", Positional: true, Executable: true, Arguments: json.RawMessage(
		`[{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}]`)}}
	s.check(testRun(t, &order{}))
	if !s.refused || !strings.HasSuffix(s.result.Error.Message, "; and 3 more faults") {
		t.Errorf("result %+v", s.result.Error)
	}
}
