package agentfile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompile(t *testing.T) {
	text := `{"version":1,"name":"n","description":"d","prompt":"p ${a}","model":["x","y"],"max_turns":3,"temperature":0.250,"read_only":true,
		"param":{"stop":"1","n":1},"header":{"X":"1"},"schema":{"type":"object"},"policy":"p.yaml","seed":12345678901234567890,
		"vars":{"a":{"required":true,"description":"A."},"b":{"type":"integer","default":7},"c":{"enum":["x","y"]}}}`
	f, findings := Compile(json.RawMessage(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := &File{Name: "n", Description: "d", Prompt: "p ${a}", Variables: []Variable{
		{Name: "a", Type: "string", Description: "A.", Required: true},
		{Name: "b", Type: "integer", HasDefault: true, Default: "7"},
		{Name: "c", Type: "string", Enum: []string{"x", "y"}},
	}, Flags: map[string][]string{
		"model": {"x", "y"}, "max-turns": {"3"}, "temperature": {"0.250"}, "read-only": {"true"}, "param": {`stop="1"`, "n=1"},
		"header": {"X=1"}, "schema": {`{"type":"object"}`}, "policy": {"p.yaml"}, "seed": {"12345678901234567890"},
	}}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct{ text, path, says string }{
		{`{"prompt":"a","prompt_file":"b"}`, "/prompt_file", "has a prompt as well"},
		{`{"model":["a/b","replay:last"]}`, "/model/1", "a replay belongs to one run"},
		{`{"responder":"replay:x"}`, "/responder", "a replay belongs to one run"},
		{`{"vars":{"prompt":{}}}`, "/vars/prompt", "is the prompt of the command line"},
		{`{"vars":{"n":{"type":"integer","default":1.5}}}`, "/vars/n/default", `expected an integer, got "1.5"`},
		{`{"vars":{"n":{"type":"number","default":"x"}}}`, "/vars/n/default", `expected a number, got "x"`},
		{`{"vars":{"n":{"type":"boolean","default":"yes"}}}`, "/vars/n/default", `expected true or false, got "yes"`},
		{`{"vars":{"n":{"type":"integer","enum":[1,"x"]}}}`, "/vars/n/enum/1", `expected an integer, got "x"`},
		{`{"vars":{"n":{"enum":["a","b"],"default":"c"}}}`, "/vars/n/default", `expected a or b, got "c"`},
		{`{"vars":{"n":{"required":true,"default":"c"}}}`, "/vars/n/default", "a required variable has no default"},
		{`{"vars":{"since":{}},"prompt":"${sinse} $${x} ${1}"}`, "/prompt", "the variable ${sinse} is not declared"},
	} {
		f, findings := Compile(json.RawMessage(tt.text))
		if f != nil || len(findings) != 1 || findings[0].Path != tt.path || !strings.Contains(findings[0].Message, tt.says) {
			t.Errorf("%s: %v", tt.text, findings)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	got := Placeholders("${a} $${b} ${c d} ${é-1} ${a} ${ ${prompt}")
	if want := []string{"a", "é-1", "prompt"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
