package tool

import (
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

func TestParseFunctions(t *testing.T) {
	registry, err := ParseFunctions([]byte(`[
		{"type":"function","function":{"name":"look.up","description":"Look.","parameters":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}}},
		{"type":"function","name":"open","parameters":{"type":"object","additionalProperties":{"type":"integer"}}},
		{"name":"go","parameters":{"type":"","properties":{"word":{"type":"string"}}}},
		{"name":"empty","parameters":{"type":"object","properties":null,"required":null}},
		{"name":"listed","parameters":{"type":"object","properties":{}}},
		{"name":"any","parameters":{"type":"object"}},
		{"name":"anything","parameters":{}},
		{"name":"shut","parameters":{"type":"object","additionalProperties":false}},
		{"name":"mail","parameters":{"type":"object","properties":{"to":{"type":"string","format":"email"}}}},
		{"name":"none"}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool, args string
		want       diag.Code // "" if the arguments fit
	}{
		{"look.up", `{"word":"fjord"}`, ""},
		{"look.up", `{"word":1}`, diag.WrongType},
		{"look.up", `{"word":"fjord","n":1}`, diag.UnknownArg},
		{"look.up", `{}`, diag.MissingArg},
		{"open", `{"any":1}`, ""},
		{"go", `{"word":"fjord"}`, ""},
		{"go", `{"word":1}`, diag.WrongType},
		{"empty", `{}`, ""},
		{"none", `{}`, ""},
		{"none", `{"n":1}`, diag.UnknownArg},
		{"empty", `{"n":1}`, diag.UnknownArg},
		{"listed", `{"n":1}`, diag.UnknownArg},
		{"any", `{"n":1}`, ""},
		{"anything", `{"n":1}`, ""},
		{"shut", `{"n":1}`, diag.UnknownArg},
		{"mail", `{"to":"me@ada.example"}`, ""},
		{"mail", `{"to":"me"}`, diag.ArgConstraint},
	} {
		def, ok := registry.Get(tt.tool)
		if !ok {
			t.Fatalf("there is no %s", tt.tool)
		}
		found := def.Check([]byte(tt.args))
		if len(found) > 1 || tt.want == "" && len(found) > 0 || tt.want != "" && (len(found) == 0 || found[0].Code != tt.want) {
			t.Errorf("%s(%s): %v, want %s", tt.tool, tt.args, found, tt.want)
		}
		if warns := diag.Worst(found) == diag.Warning; warns != (tt.tool == "mail" && tt.want != "") {
			t.Errorf("%s(%s): %v", tt.tool, tt.args, found)
		}
	}
}

// A recorded tool may have the name of a tool that every registry contains.
func TestParseFunctionsOfBuiltInNames(t *testing.T) {
	registry, err := ParseFunctions([]byte(`[{"name":"ask_user","parameters":{"properties":{"who":{"type":"string"}},"required":["who"]}},{"name":"end_turn"}]`))
	if err != nil {
		t.Fatal(err)
	}
	def, _ := registry.Get("ask_user")
	if found := def.Check([]byte(`{"who":"Ada"}`)); len(found) > 0 {
		t.Error(found)
	}
	if len(registry.All()) != 2 || !registry.Has("finalResponse") || AskUser == def {
		t.Errorf("the registry has %v", registry.Names())
	}
}

func TestParseFunctionsFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "list of functions", `"x"`: "list of functions", `[1]`: "list of functions", `[`: "list of functions",
		`[{"type":"function"}]`:                                             "function 0: missing name",
		`[{"name":"a"},{"function":{"name":"a"}}]`:                          "function 1: duplicate tool a",
		`[{"name":"finalResponse"},{"name":"finalResponse"}]`:               "function 1: duplicate tool finalResponse",
		`[{"name":"a","parameters":{"type":"string"}}]`:                     "function 0: tool a: the parameters must be",
		`[{"name":"a","parameters":"{\"type\":\"object"}]`:                  "the parameters must be",
		`[{"name":"a","parameters":{"properties":{"n":{"type":"float"}}}}]`: "function 0: tool a: the parameters are not a valid JSON Schema: /properties/n/type: expected one of",
	} {
		if _, err := ParseFunctions([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
