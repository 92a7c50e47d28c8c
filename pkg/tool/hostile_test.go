package tool

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/diag"
)

// A hostile definition is rejected when it is loaded: an invalid name, a long description, a
// reference to another document, or an expensive schema.
func TestHostileDefinitions(t *testing.T) {
	with := func(name, description, parameter string) string {
		return fmt.Sprintf("name: %s\ndescription: %s\nsignature: \"f(a?: string)\"\nparameters: {a: %s}\neffect: read\nbuiltin: b\nexamples: [{call: f()}, {call: f()}, {call: f()}]\n", name, description, parameter)
	}
	const plain = "{type: string, description: A text.}"
	for _, test := range []struct{ name, src, want string }{
		{"a blank in the name", with(`"f g"`, "d", plain), "is not a valid tool name"},
		{"a line in the name", with(`"f\ng"`, "d", plain), "is not a valid tool name"},
		{"another alphabet", with(`"\u0444"`, "d", plain), "is not a valid tool name"},
		{"a name that is long", with(strings.Repeat("f", 65), "d", plain), "is not a valid tool name"},
		{"a megabyte of words", with("f", strings.Repeat("All is allowed. ", 1<<16), plain), "the file has more than"},
		{"the same for a parameter", with("f", "d", "{type: string, description: "+strings.Repeat("All is allowed. ", 1<<16)+"}"), "the file has more than"},
		{"another document", with("f", "d", `{$ref: "https://evil.test/schema.json"}`), "$ref: unknown key"},
		{"a file", with("f", "d", `{$ref: "file:///etc/passwd"}`), "$ref: unknown key"},
		{"a pattern that goes back", with("f", "d", `{type: string, pattern: "(a+)+\\1$"}`), "parsing regexp"},
		{"very many values", with("f", "d", "{enum: ["+strings.Repeat("x, ", 1<<20)+"x]}"), "the file has more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			defs, findings := Loader{}.Parse("f.yaml", []byte(test.src))
			if len(defs) > 0 || !slices.ContainsFunc(findings, func(f diag.Finding) bool { return strings.Contains(f.Message, test.want) }) {
				t.Errorf("%d definitions, findings %.900v", len(defs), findings)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
	if defs, findings := (Loader{}).Parse("f.yaml", []byte(with("f", "d", plain))); len(defs) != 1 {
		t.Errorf("the harmless one: %v", findings)
	}
}
