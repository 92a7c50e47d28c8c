package tool

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// T5: the arguments of positional calls.
func TestBind(t *testing.T) {
	const (
		plain  = "f(uri: string, timeoutMs?: number)"
		object = "f(body: object, dry?: boolean)"
		anyone = "f(value, dry?: boolean)"
		either = "f(x: string | {a: number}, y?: number)"
	)
	tests := []struct{ name, signature, args, want, finding string }{
		{"nothing", plain, `[]`, `{}`, ""},
		{"in order", plain, `["u",5]`, `{"uri":"u","timeoutMs":5}`, ""},
		{"fewer", plain, `["u"]`, `{"uri":"u"}`, ""},
		{"object of all arguments", plain, `[{"timeoutMs":1.50,"uri":"u"}]`, `{"timeoutMs":1.50,"uri":"u"}`, ""},
		{"object with unknown keys", plain, `[{"url":"u"}]`, `{"url":"u"}`, ""},
		{"empty object", plain, `[{}]`, `{}`, ""},
		{"object in order", plain, `["u",{"timeoutMs":5}]`, `{"uri":"u","timeoutMs":{"timeoutMs":5}}`, ""},
		{"too many", plain, `["u",5,6]`, `{"uri":"u","timeoutMs":5}`, "TC307 f takes at most 2 arguments, got 3: " + plain},
		{"too many of none", "f()", `[1]`, `{}`, "TC307 f takes no arguments, got 1: f()"},
		{"too many of one", "f(a)", `[1,2]`, `{"a":1}`, "TC307 f takes at most 1 argument, got 2: f(a)"},
		{"empty object for none", "f()", `[{}]`, `{}`, ""},
		{"keys for none", "f()", `[{"a":1}]`, `{"a":1}`, ""},
		{"first is an object", object, `[{"a":1}]`, `{"body":{"a":1}}`, ""},
		{"first is an object, some keys are parameters", object, `[{"a":1,"dry":true}]`, `{"body":{"a":1,"dry":true}}`, ""},
		{"first is an object, all keys are parameters", object, `[{"body":{},"dry":true}]`, `{"body":{},"dry":true}`, ""},
		{"first is an object, a key is a parameter in another case", object, `[{"BODY":{"a":1}}]`, `{"BODY":{"a":1}}`, ""},
		{"first is an object, empty", object, `[{}]`, `{}`, ""},
		{"first is an object, two arguments", object, `[{"body":{}},true]`, `{"body":{"body":{}},"dry":true}`, ""},
		{"first is of any type", anyone, `[{"a":1}]`, `{"value":{"a":1}}`, ""},
		{"first can be an object", either, `[{"a":1}]`, `{"x":{"a":1}}`, ""},
		{"list", plain, `[[1,2]]`, `{"uri":[1,2]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _, wrong := parseSignature(tt.signature)
			if wrong != nil {
				t.Fatal(wrong)
			}
			d := &Definition{Name: "f", Signature: s, Schema: s.Schema()}
			in := chat.Call{ID: "1", Name: "f", Arguments: json.RawMessage(tt.args), Positional: true, Status: chat.StatusOK, Executable: true}
			got, findings := d.BindPositional(in)
			want := in
			want.Positional, want.Arguments, want.Executable = false, json.RawMessage(tt.want), tt.finding == ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
			found := ""
			for _, f := range findings {
				found += string(f.Code) + " " + f.Message
			}
			if found != tt.finding {
				t.Errorf("finding %q, want %q", found, tt.finding)
			}
		})
	}
	keyed := chat.Call{Name: "f", Arguments: json.RawMessage(`{"x":1}`)}
	unread := chat.Call{Name: "f", Positional: true, Status: chat.StatusInvalid}
	for _, c := range []chat.Call{keyed, unread} {
		if got, findings := (&Definition{}).BindPositional(c); !cmp.Equal(c, got) || findings != nil {
			t.Errorf("%v became %v, %v", c, got, findings)
		}
	}
}

const order = `
name: order
description: Order things.
parameters:
  uri: {type: string, description: Where to order., minLength: 1}
  limit: {type: integer, minimum: 1, maximum: 50, default: 10}
  mode: {enum: [fast, slow], required: false}
  opts:
    type: object
    required: false
    properties:
      items: {type: array, maxItems: 2, items: {type: object, properties: {price: {type: number}, "odd name": {type: string, required: false}}}}
  extra: {type: object, required: false}
examples:
  - {call: "order('x')"}
  - {call: "order('x', 5, 'fast')"}
  - {call: "order({uri: 'x', opts: {items: [{price: 1.50}]}})"}
effect: write
builtin: wget
`

// M9, T13: findings tell a model how to correct its arguments.
func TestCheck(t *testing.T) {
	defs, findings := Loader{}.Parse("order.yaml", []byte(order))
	if len(defs) != 1 {
		t.Fatal(lines(findings))
	}
	d := defs[0]
	tests := []struct {
		args string
		want []string
	}{
		{`{"uri":"x","limit":50,"mode":"slow","extra":{"whatever":[]}}`, nil},
		{`{}`, []string{"TC302 /uri: missing required argument uri (string): Where to order"}},
		{`{"uri":"x","limti":5}`, []string{"TC303 /limti: order has no parameter limti, only uri, limit, mode, opts, extra [did you mean limit?]"}},
		{`{"uri":"x","colour":5}`, []string{"TC303 /colour: order has no parameter colour, only uri, limit, mode, opts, extra"}},
		{`{"uri":12345678901234567890}`, []string{"TC304 /uri: uri: expected a string, got the number 12345678901234567890"}},
		{`{"uri":"x","mode":"fsat"}`, []string{`TC306 /mode: mode: expected one of "fast", "slow"; got the string "fsat" [did you mean "fast"?]`}},
		{`{"uri":"","limit":0}`, []string{"TC310 /uri: uri: expected at least 1 character, got 0", "TC310 /limit: limit: expected at least 1, got the number 0"}},
		{`{"uri":"x","opts":{"items":[{"price":"1"},{"odd name":1}]}}`, []string{
			`TC304 /opts/items/0/price: opts.items[0].price: expected a number, got the string "1"`,
			`TC302 /opts/items/1/price: missing required argument opts.items[1].price`,
			`TC304 /opts/items/1/odd name: opts.items[1]["odd name"]: expected a string, got the number 1`,
		}},
		{`{"uri":"x","opts":{"items":[],"more":1}}`, []string{`TC303 /opts/more: opts: unknown key "more"; known keys: "items"`}},
		{`{"uri":"x","opts":{"items":[{"price":1},{"price":2},{"price":3}]}}`, []string{"TC310 /opts/items: opts.items: expected at most 2 items, got 3"}},
		{`["x"]`, []string{"TC304 : the arguments: expected an object, got an array"}},
		{`{"uri":"x","uri":"y"}`, []string{`TC304 /uri: the arguments are not JSON: duplicate key "uri"`}},
		{`{"uri":`, []string{"TC304 /uri: the arguments are not JSON: unexpected end of JSON"}},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			var got []string
			for _, f := range d.Check(json.RawMessage(tt.args)) {
				s := string(f.Code) + " " + f.Path + ": " + f.Message
				if f.Hint != "" {
					s += " [" + f.Hint + "]"
				}
				got = append(got, s)
				if f.Severity != diag.Error || f.Span != (diag.Span{}) {
					t.Errorf("%s has severity %s and span %v", s, f.Severity, f.Span)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
	none := &Definition{Name: "now", Schema: Signature{}.Schema()}
	if got := none.Check(json.RawMessage(`{"a":1}`)); len(got) != 1 || got[0].Message != "now takes no arguments, got a" {
		t.Errorf("without parameters: %v", got)
	}
	broken := &Definition{Name: "b", Schema: json.RawMessage(`{"type":"strng"}`)}
	if got := broken.Check(json.RawMessage(`{}`)); len(got) != 1 || got[0].Code != diag.ArgConstraint {
		t.Errorf("with a schema that is wrong: %v", got)
	}
}

// The schema of a definition is compiled once, also under concurrent use.
func TestCheckConcurrently(t *testing.T) {
	defs, _ := Loader{}.Parse("order.yaml", []byte(order))
	d := &Definition{Name: "order", Signature: defs[0].Signature, Schema: defs[0].Schema}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := d.Check(json.RawMessage(`{"uri":1}`)); len(got) != 1 {
				t.Errorf("findings %v", got)
			}
		})
	}
	wg.Wait()
}

// Every member of a definition is read.
func TestDefinition(t *testing.T) {
	defs, findings := Loader{}.Parse("g.yaml", []byte(`
description: "  Fetch.  "
name: g
signature: "g(string uri)"
returns: "{a}[]"
examples:
  - {call: "g('x');", note: the x}
  - {call: "g({uri: \"x\"})"}
  - {call: "g('y')"}
effect: exec
idempotent: true
scopes: [a, b]
timeout: 1m30s
limit: {rate: 100/m, bytes: 64 KiB}
tags: [web]
builtin: wget
`))
	if len(defs) != 1 {
		t.Fatal(lines(findings))
	}
	d := defs[0]
	want := &Definition{
		Name: "g", Description: "Fetch.", Returns: "{a}[]",
		Signature: Signature{
			Name: "g", Params: []Param{{Name: "uri", Type: &Type{Kind: String}}},
			Returns: arrayOf(&Type{Kind: Struct, Fields: []Param{{Name: "a", Type: &Type{Kind: Any}}}}),
		},
		Schema: json.RawMessage(`{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"],"additionalProperties":false}`),
		Effect: Exec, Idempotent: true, Scopes: []string{"a", "b"},
		Limits: Limits{Timeout: 90 * time.Second, Rate: Rate{100, time.Minute}, MaxBytes: 65536}, Labels: []Label{Untrusted, Sink}, Tags: []string{"web"}, Builtin: "wget", File: "g.yaml", Line: 3,
	}
	for i, note := range []string{"the x", "", ""} {
		text := []string{"g('x');", `g({uri: "x"})`, "g('y')"}[i]
		args := []string{`{"uri":"x"}`, `{"uri":"x"}`, `{"uri":"y"}`}[i]
		want.Examples = append(want.Examples, Example{Call: text, Note: note,
			Parsed: chat.Call{Name: "g", Arguments: json.RawMessage(args), Status: chat.StatusOK, Executable: true}})
	}
	if diff := cmp.Diff(want, d, cmp.FilterPath(func(p cmp.Path) bool {
		field, ok := p.Last().(cmp.StructField)
		return ok && (field.Name() == "nameSpan" || field.Name() == "compiled" || field.Name() == "formatsAdvisory")
	}, cmp.Ignore())); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
	if got := d.Rate.String(); got != "100/m" {
		t.Errorf("rate %q", got)
	}
	if got := (Rate{}).String(); got != "" {
		t.Errorf("no rate is %q", got)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"512": 512, `"512"`: 512, "1B": 1, "64KB": 64000, "64 KiB": 65536, "1MB": 1e6, "2MiB": 2 << 20, "8MiB": 8 << 20,
		"0": 0, "-1": 0, "1.5MB": 0, "1GB": 0, "8388609": 0, "MB": 0, "1mb": 0, "9223372036854775807GB": 0, "true": 0,
	} {
		src := "name: f\ndescription: d\nsignature: f()\neffect: read\nbuiltin: b\nexamples: [{call: f()}, {call: f()}, {call: f()}]\nlimit: {bytes: " + text + "}\n"
		defs, findings := Loader{}.Parse("f.yaml", []byte(src))
		switch {
		case want == 0 && len(findings) != 1:
			t.Errorf("%s: findings %v", text, findings)
		case want != 0 && (len(defs) != 1 || defs[0].MaxBytes != want):
			t.Errorf("%s: %v, %v, want %d", text, defs, findings, want)
		}
	}
}

func TestRegistry(t *testing.T) {
	a, b := &Definition{Name: "wget", File: "a.yaml", Line: 3}, &Definition{Name: "wget", File: "b.yaml", Line: 7}
	c := &Definition{Name: "vault_search"}
	r, findings := NewRegistry(a, c)
	if len(findings) != 0 {
		t.Fatal(findings)
	}
	if got := r.Register(b); len(got) != 1 || got[0].Code != diag.DefName || got[0].File != "b.yaml" ||
		got[0].Message != "the tool wget is defined twice, first in a.yaml:3" {
		t.Errorf("findings %v", got)
	}
	if got := r.Register(&Definition{Name: "finalResponse", File: "c.yaml"}); len(got) != 1 || got[0].Code != diag.DefName ||
		got[0].Message != "the tool finalResponse is defined twice, first in oneshot itself" {
		t.Errorf("findings %v", got)
	}
	if got := r.Register(c); len(got) != 1 || got[0].Message != "the tool vault_search is defined twice, first without a file" {
		t.Errorf("findings %v", got)
	}
	if d, ok := r.Get("wget"); d != a || !ok {
		t.Errorf("wget is %v", d)
	}
	if d, ok := r.Get("finalResponse"); d != FinalResponse || !ok {
		t.Errorf("finalResponse is %v", d)
	}
	if !r.Has("vault_search") || r.Has("nope") {
		t.Error("Has is wrong")
	}
	all := r.All()
	if len(all) != 2 || all[0] != a || all[1] != c {
		t.Errorf("All is %v", all)
	}
	all[0] = nil
	if r.All()[0] != a {
		t.Error("All gave the registry's own list away")
	}
	for name, want := range map[string]string{"wgte": "wget", "finalRespond": "finalResponse", "vaultsearch": "vault_search", "compile": ""} {
		if got := r.Suggest(name); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
}

// T3, M4: the ending tools are built in, and their definitions are as valid as others.
func TestEndings(t *testing.T) {
	for _, d := range EndingTools {
		if got := d.Signature.String(); got != d.Name+"(): object" {
			t.Errorf("signature %s", got)
		}
		if findings := d.Check(d.Examples[0].Parsed.Arguments); findings != nil {
			t.Error(findings)
		}
		if LookupEndingTool(d.Name) != d {
			t.Errorf("%s is no ending", d.Name)
		}
	}
	if LookupEndingTool("wget") != nil {
		t.Error("wget is an ending")
	}
}

// Missing arguments get their defaults, and the others are unchanged, byte for byte.
func TestComplete(t *testing.T) {
	sig, _, sigErr := parseSignature(`f(a: string, b: number = 1.50, c: string = "x", d?: boolean)`)
	if sigErr != nil {
		t.Fatal(sigErr)
	}
	d := &Definition{Name: "f", Signature: sig, Schema: sig.Schema()}
	for args, want := range map[string]string{
		`{}`:                         `{"b":1.50,"c":"x"}`,
		`{ }` + "\n":                 `{ "b":1.50,"c":"x"}`,
		`{"a":"u"}`:                  `{"a":"u","b":1.50,"c":"x"}`,
		`{"c": "y", "a": "u"}`:       `{"c": "y", "a": "u","b":1.50}`,
		`{"b":2e0,"c":"}","d":true}`: `{"b":2e0,"c":"}","d":true}`,
		`["u"]`:                      `["u"]`,
	} {
		given := json.RawMessage(args)
		if got := d.WithDefaults(given); string(got) != want {
			t.Errorf("WithDefaults(%s) = %s, want %s", args, got, want)
		}
		if string(given) != args {
			t.Errorf("WithDefaults changed its argument %s to %s", args, given)
		}
	}
}
