package agent_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/pkg/agent"
	"oneshot/pkg/policy"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/wire"
)

// A callCase is a list of calls from a hostile or broken server, with the expected outcome.
type callCase struct {
	ID    string
	Calls []struct {
		ID        string          `json:"id,omitempty"`
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	Runs   int    // number of calls that run
	Told   string // text in the messages to the model
	Body   string // text in the arguments of a call that runs
	Denied bool   // the run ends with a denial
}

// caseTools are the tools that the cases call, ours and others'.
const caseTools = `
name: look
description: Look something up.
signature: "look(q: string): string"
examples: [{call: "look('a')"}, {call: "look('b')"}, {call: "look('c')"}]
effect: read
builtin: x
---
name: order
description: Order things.
parameters: {items: {type: object}}
examples: [{call: "order({items: {}})"}, {call: "order({items: {a: 1}})"}, {call: "order({items: {b: 1}})"}]
effect: read
builtin: x
---
name: burn
description: Burn a file.
signature: "burn(what: string): string"
examples: [{call: "burn('a')"}, {call: "burn('b')"}, {call: "burn('c')"}]
effect: write
builtin: x
---
name: search
description: Search.
signature: "search(query?: string, limit?: number): string"
examples: [{call: "search('a')"}, {call: "search('b')"}, {call: "search('c', 2)"}]
effect: read
builtin: x
---
name: file_read
description: Read a file.
signature: "file_read(path: string): string"
examples: [{call: "file_read('a')"}, {call: "file_read('b')"}, {call: "file_read('c')"}]
effect: read
builtin: x
---
name: file_write
description: Write a file.
signature: "file_write(path: string, content: string): string"
examples: [{call: "file_write('a', '')"}, {call: "file_write('b', '')"}, {call: "file_write('c', '')"}]
effect: write
builtin: x
---
name: wget
description: Get a page.
signature: "wget(url: string): string"
examples: [{call: "wget('a')"}, {call: "wget('b')"}, {call: "wget('c')"}]
effect: read
builtin: x
---
name: api_call
description: Make a request.
signature: "api_call(url?: string, method?: string, body?: object): string"
examples: [{call: "api_call({url: 'a'})"}, {call: "api_call({url: 'b'})"}, {call: "api_call({url: 'c'})"}]
effect: write
builtin: x
`

// serve is a server whose model sends these calls a number of times and then ends its work.
func serve(t *testing.T, calls any, turns int) *url.URL {
	t.Helper()
	type object = map[string]any
	n := 0
	reply := func(message object, stop string) []byte {
		b, err := json.Marshal(object{"id": fmt.Sprint("r", n), "object": "chat.completion", "model": "m",
			"choices": []any{object{"index": 0, "message": message, "finish_reason": stop}}})
		if err != nil {
			t.Error(err)
		}
		return b
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if n++; n <= turns {
			_, _ = w.Write(reply(object{"role": "assistant", "content": nil, "tool_calls": calls}, "tool_calls"))
			return
		}
		_, _ = w.Write(reply(object{"role": "assistant", "content": answer42}, "stop"))
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// functions returns the calls of a case in the server's format.
func (c callCase) functions() []any {
	var out []any
	for _, one := range c.Calls {
		call := map[string]any{"type": "function", "function": map[string]any{"name": one.Name, "arguments": one.Arguments}}
		if one.ID != "" {
			call["id"] = one.ID
		}
		out = append(out, call)
	}
	return out
}

// overServer returns a run whose model is behind a server.
func overServer(t *testing.T, calls any, turns int) *rig {
	r := nativeRig(t)
	m := provider.New(provider.Config{Protocol: &openai.Protocol, BaseURL: serve(t, calls, turns), Model: "m"})
	r.cfg.Model, r.cfg.Tools = recordedModel{r, m}, toolsOf(t, caseTools)
	r.cfg.Policy = policy.Policy{}
	return r
}

func TestCallCases(t *testing.T) {
	for _, c := range readCases(t, filepath.Join("..", "..", "testdata", "injection", "calls.jsonl")) {
		t.Run(c.ID, func(t *testing.T) { c.check(t, overServer(t, c.functions(), 1)) })
	}
}

// readCases reads JSON Lines.
func readCases(t *testing.T, path string) []callCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []callCase
	for line := range bytes.Lines(text) {
		var c callCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// check compares a run with the expectations of a case.
func (c callCase) check(t *testing.T, r *rig) {
	t.Helper()
	out, err := r.run()
	if denied := errors.As(err, new(*agent.DeniedError)); denied != c.Denied || err != nil && !denied {
		t.Fatalf("%v", err)
	}
	runs, log := 0, strings.Join(r.seen(), "\n")
	for _, line := range r.seen() {
		if strings.HasPrefix(line, "start ") {
			runs++
		}
	}
	if runs != c.Runs || !strings.Contains(log, c.Body) {
		t.Errorf("%d runs of %d, %s", runs, c.Runs, log)
	}
	if len(out.Calls) != len(c.Calls) {
		t.Errorf("%d calls are reported", len(out.Calls))
	}
	ids := map[string]bool{}
	for _, call := range out.Calls {
		if call.ID == "" || ids[call.ID] {
			t.Errorf("the id %q", call.ID)
		}
		ids[call.ID] = true
	}
	if !c.Denied {
		var shown strings.Builder
		for _, m := range r.requests[1].Messages[1:] {
			shown.WriteString(m.Content + "\n")
		}
		if !strings.Contains(shown.String(), c.Told) || shown.Len() > 2000 {
			t.Errorf("the model got %.2000s", shown.String())
		}
	}
}

// TestSharedCallCases runs the rows about calls in the cases that ONESHOT_SHARED names, translated.
func TestSharedCallCases(t *testing.T) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED is not set")
	}
	f, err := os.Open(filepath.Join(shared, "cases", "injection_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row struct {
			ID, Class string
			Expect    struct {
				Executed *bool
				Body     string `json:"body_bytes_contain"`
			}
			Calls json.RawMessage `json:"tool_calls"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Class != "hostile-call" {
			continue
		}
		seen++
		t.Run(row.ID, func(t *testing.T) {
			if special := sharedSpecially[row.ID]; special != nil {
				special(t)
				return
			}
			text := strings.ReplaceAll(string(row.Calls), `{GENERATE 2 MiB}`, `{\"path\":\"a\",\"content\":\"`+strings.Repeat("x", 2<<20)+`\"}`)
			c := callCase{ID: row.ID, Body: row.Expect.Body}
			if err := json.Unmarshal([]byte(text), &c.Calls); err != nil {
				t.Fatal(err)
			}
			if row.Expect.Executed == nil || *row.Expect.Executed {
				c.Runs = len(c.Calls)
			} else {
				c.Told = cmp.Or(c.Told, `"ok":false`)
			}
			r := overServer(t, c.functions(), 1)
			r.cfg.Policy.Flags.Allow = []string{"*"}
			c.check(t, r)
		})
	}
	if seen == 0 {
		t.Error("there is no such case")
	}
}

// sharedSpecially tests the rows that need more than one response, or for which oneshot deliberately differs.
var sharedSpecially = map[string]func(*testing.T){
	// A string that holds the object is repaired to the object; only one level deep.
	"call-string-args": func(t *testing.T) {
		c := callCase{Runs: 1, Body: `{"path":"ok.txt"}`}
		mustDecode(t, `[{"name":"file_read","arguments":"\"{\\\"path\\\":\\\"ok.txt\\\"}\""}]`, &c.Calls)
		c.check(t, overServer(t, c.functions(), 1))
	},
	// The row means invalid UTF-8: such a response is not read at all.
	"call-bad-utf8": func(t *testing.T) {
		c := callCase{}
		mustDecode(t, "[{\"name\":\"file_write\",\"arguments\":\"{\\\"path\\\":\\\"a\xff\\\",\\\"content\\\":\\\"x\\\"}\"}]", &c.Calls)
		r := overServer(t, c.functions(), 1)
		r.cfg.Policy.Flags.Allow = []string{"*"}
		_, err := r.run()
		wantError[*wire.Error](t, err)
		wantStarts(t, r, 0)
	},
	// The call budget is for the run, not for a turn: the run ends when it is exhausted.
	"call-many": func(t *testing.T) {
		c := callCase{}
		mustDecode(t, `[{"name":"wget","arguments":"{\"url\":\"https://ok.test/\"}"}]`, &c.Calls)
		for i := range 199 {
			c.Calls = append(c.Calls, c.Calls[0])
			c.Calls[i+1].Arguments = json.RawMessage(fmt.Sprintf(`"{\"url\":\"https://ok.test/%d\"}"`, i))
		}
		r := overServer(t, c.functions(), 1)
		r.cfg.Limits.Calls = 16
		out, err := r.run()
		if limit := wantError[*agent.LimitError](t, err); limit.Budget != "calls" || len(out.Calls) != 16 {
			t.Errorf("%v after %d calls", err, len(out.Calls))
		}
		wantStarts(t, r, 16)
	},
	"call-repeat": func(t *testing.T) {
		c := callCase{}
		mustDecode(t, `[{"name":"wget","arguments":"{\"url\":\"https://ok.test/\"}"}]`, &c.Calls)
		r := overServer(t, c.functions(), 10)
		_, err := r.run()
		if limit := wantError[*agent.LimitError](t, err); limit.Budget != "repeats" {
			t.Errorf("%v", err)
		}
		wantStarts(t, r, 3)
	},
}

func mustDecode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// wantStarts asserts that at most these calls were started.
func wantStarts(t *testing.T, r *rig, most int) {
	t.Helper()
	starts := strings.Count(strings.Join(r.seen(), "\n"), "start ")
	if starts > most {
		t.Errorf("%d calls were started, at most %d should be", starts, most)
	}
}
