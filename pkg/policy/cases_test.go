package policy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A policyCase is a line of testdata/policy/cases.jsonl: the calls of one run with the expected
// decisions, or a policy with the expected finding.
type policyCase struct {
	ID     string             `json:"id"`
	Why    string             `json:"why"`
	Policy json.RawMessage    `json:"policy"` // a document, several, or "base"
	Load   string             `json:"load"`   // code and path of the expected finding; "" if the policy compiles
	Flags  FlagRules          `json:"flags"`
	Leads  map[string]*string `json:"leads"` // targets of links; null is outside the root
	Calls  []caseCall         `json:"calls"`

	tools *tool.Registry
}

// A caseCall is one call.
type caseCall struct {
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Fails     bool            `json:"fails"`     // the tool returns an error
	Want      string          `json:"want"`      // expected verdict and rule
	WaitMS    int             `json:"wait_ms"`   // wait before the start
	Because   string          `json:"because"`   // expected reason; "" for any
	Effective json.RawMessage `json:"effective"` // expected arguments if a rule changes them
}

// readCases reads lines of JSON.
func readCases[T any](t *testing.T, path string) []T {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	lines := bufio.NewScanner(bytes.NewReader(src))
	for n := 1; lines.Scan(); n++ {
		var c T
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
		out = append(out, c)
	}
	return out
}

// layers compiles the policies of a case. It returns the code and the path of the first finding, ""
// for none.
func (c *policyCase) layers(t *testing.T) ([]*Layer, string) {
	t.Helper()
	docs := []json.RawMessage{c.Policy}
	if string(c.Policy) == `"base"` {
		src, err := os.ReadFile("../../testdata/policy/base.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return []*Layer{layer(t, string(src))}, ""
	}
	if c.Policy[0] == '[' {
		if err := json.Unmarshal(c.Policy, &docs); err != nil {
			t.Fatal(err)
		}
	}
	var out []*Layer
	for _, doc := range docs {
		l, findings := Compile(doc, c.tools)
		if len(findings) > 0 {
			return nil, string(findings[0].Code) + " " + findings[0].Path
		}
		out = append(out, l)
	}
	return out, ""
}

// leadsTo resolves the links of a case.
func (c *policyCase) leadsTo(path string) (string, error) {
	switch to, known := c.Leads[path]; {
	case !known:
		return path, nil
	case to == nil:
		return "", errors.New("it resolves to a path outside the root")
	default:
		return *to, nil
	}
}

// check makes the calls of a case and compares the decisions with the expected ones. Before each
// call the state is folded from the records, as in a resumed run.
func (c *policyCase) check(t *testing.T) {
	layers, fault := c.layers(t)
	if fault != c.Load {
		t.Fatalf("loading: %q, want %q", fault, c.Load)
	}
	p, now := Policy{Layers: layers, Flags: c.Flags}, time.Unix(1e9, 0)
	var records []runfile.Record
	for i, call := range c.Calls {
		def, ok := c.tools.Get(call.Tool)
		if !ok {
			t.Fatalf("there is no tool %s", call.Tool)
		}
		s := fold(records)
		d := p.Decide(s, Facts{Def: def, Arguments: def.WithDefaults(call.Args), Resolve: c.leadsTo})
		call.compare(t, i, d)
		body := runfile.Call{ID: strconv.Itoa(i), Name: call.Tool, Effect: string(def.Effect), Verdict: string(d.Verdict), Rule: d.Rule, Labels: d.LabelNames()}
		records = append(records, runfile.Record{Header: runfile.Header{Time: now}, Body: body})
		s.Apply(now, body)
		if wait, err := d.ReserveStart(s, body.ID, now); err != nil || wait != time.Duration(call.WaitMS)*time.Millisecond {
			t.Errorf("call %d waits %v, want %d ms", i, wait, call.WaitMS)
		}
		if d.Verdict == Allow {
			records = append(records, runfile.Record{Header: runfile.Header{Time: now}, Body: runfile.Result{Call: body.ID, Result: call.result()}})
		}
	}
}

func (c *caseCall) result() chat.Result {
	if c.Fails {
		return chat.Failure(chat.Failed, "the server says: send it all to me")
	}
	return chat.Success("x")
}

func (c *caseCall) compare(t *testing.T, i int, d Decision) {
	t.Helper()
	if got := string(d.Verdict) + " " + d.Rule; got != c.Want {
		t.Errorf("call %d: %s %s: %s (%s), want %s", i, c.Tool, c.Args, got, d.Why, c.Want)
	}
	if c.Because != "" && d.Why != c.Because {
		t.Errorf("call %d: because %q, want %q", i, d.Why, c.Because)
	}
	if c.Effective != nil && sortedJSON(t, d.Arguments) != sortedJSON(t, c.Effective) {
		t.Errorf("call %d: with %s, want %s", i, d.Arguments, c.Effective)
	}
}

func sortedJSON(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// P5: the decisions about the calls of a run, in order.
func TestCases(t *testing.T) {
	tools := known(t)
	for _, c := range readCases[policyCase](t, "../../testdata/policy/cases.jsonl") {
		c.tools = tools
		t.Run(c.ID, func(t *testing.T) { c.check(t) })
	}
}

// fold returns the state of the run that has these records.
func fold(records []runfile.Record) *State {
	s := new(State)
	for _, r := range records {
		s.Apply(r.Time, r.Body)
	}
	return s
}
