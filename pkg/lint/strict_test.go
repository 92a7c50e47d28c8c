package lint

import (
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// hostileTools has a tool whose schema constrains only names.
const hostileTools = `name: keep
description: Keep something.
parameters:
  one: {type: string, required: false}
  two: {type: string, required: false}
  all: {type: object, required: false}
examples: [{call: 'keep({one: "a"})'}, {call: 'keep({two: "b"})'}, {call: 'keep({all: {a: 1}})'}]
effect: write
builtin: x
`

// M9: in every dialect and server format, arguments that two programs could read differently are
// not executed. Each text is a valid call with one change.
func TestStrictInDialects(t *testing.T) {
	defs, _ := tool.Loader{}.Parse("t.yaml", []byte(hostileTools))
	tools, _ := tool.NewRegistry(defs...)
	shown := 0
	for _, d := range dialect.Dialects() {
		for _, c := range []struct{ name, args, from, to string }{
			{"twice", `{"one":"Ada","two":"Eve"}`, "two", "one"},
			{"twice, deep", `{"all":{"first":"Ada","second":"Eve"}}`, "second", "first"},
			{"case", `{"one":"Ada","two":"Eve"}`, "two", "ONE"},
			{"case, deep", `{"all":{"first":"Ada","second":"Eve"}}`, "second", "FIRST"},
			{"long s", `{"all":{"subject":"Ada","second":"Eve"}}`, "second", "ſubject"},
			{"bytes", `{"one":"Ada","two":"Eve"}`, "Eve", "E\xffe"},
			{"range", `{"all":{"first":77777,"second":"Eve"}}`, "77777", "1e999"},
		} {
			text, ok := d.Render(chat.Call{Name: "keep", Arguments: json.RawMessage(c.args)}, Options{Tools: tools}.toolShapes())
			if !ok || strings.Count(text, c.from) != 1 {
				continue // the dialect has no such form
			}
			if good := response("f", []byte(text), Options{Dialect: d, Tools: tools}); len(good.Calls) != 1 || !good.Calls[0].Executable {
				continue // nor can it be read back with these types
			}
			shown++
			bad := strings.Replace(text, c.from, c.to, 1)
			r := response("f", []byte(bad), Options{Dialect: d, Tools: tools})
			for _, call := range r.Calls {
				if call.Executable && !isText(call.Arguments, c.to) {
					t.Errorf("%s: %s: executable: %s\n%s", d.Name, c.name, call.Arguments, bad)
				}
			}
		}
	}
	if shown < 5*len(dialect.Dialects()) {
		t.Errorf("only %d texts were tried", shown)
	}
}

// isText reports whether a change of a text became the verbatim text of a value, which is correct
// in dialects that write all values as text.
func isText(args json.RawMessage, change string) bool {
	raw, err := json.Marshal(change)
	return err == nil && strings.Contains(string(args), string(raw)) && change == "1e999"
}
