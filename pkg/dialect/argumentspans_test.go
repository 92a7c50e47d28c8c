package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/quote"
)

// TestPlacesOfCases checks the argument spans of all calls written as tags or lines:
// the text at each span is the name or the value of the argument.
func TestPlacesOfCases(t *testing.T) {
	plain := 0
	for d, c := range allCases(t) {
		if d.grammar.argumentSpans == nil {
			continue
		}
		for _, call := range Scan(c.input, Options{Dialect: d}).Calls {
			if call.Arguments == nil || string(call.Arguments) == "{}" || strings.Contains(call.Text, "\n{") || call.Text[0] == '{' {
				continue // arguments that are one object
			}
			places := ArgumentSpans(call.Text, call.Arguments, nil)
			if len(places) == 0 {
				t.Errorf("%s/%s: of %q nothing is known", d.Name, c.name(), call.Text)
			}
			for _, p := range places {
				name, value := call.Text[p.Name.Start:p.Name.End], call.Text[p.Value.Start:p.Value.End]
				said := argumentAt(t, call.Arguments, p.Pointer)
				if value != "" && !strings.ContainsAny(value, "<&") { // tags and escapes are decoded
					plain++
					if !isSameValue(said, json.RawMessage(value)) && compact(said) != compact(json.RawMessage(quote.JSON(value))) && compact(said) != compact(json.RawMessage(value)) {
						t.Errorf("%s/%s: %s is %s, and stands at %q", d.Name, c.name(), p.Pointer, said, value)
					}
				}
				if key := strings.Split(p.Pointer, "/")[1]; !strings.Contains(p.Pointer[1:], "/") && strings.Trim(name, "'\"") != key {
					t.Errorf("%s/%s: the name %s stands at %q", d.Name, c.name(), key, name)
				}
			}
		}
	}
	if plain < 150 {
		t.Errorf("only %d values were looked at", plain)
	}
}

// argumentAt returns the value at a JSON pointer.
func argumentAt(t *testing.T, args json.RawMessage, pointer string) json.RawMessage {
	t.Helper()
	for key := range jsontext.Pointer(pointer).Tokens() {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		var index int
		switch {
		case json.Unmarshal(args, &object) == nil:
			args = object[key]
		case json.Unmarshal(args, &list) == nil && json.Unmarshal([]byte(key), &index) == nil && index < len(list):
			args = list[index]
		default:
			t.Errorf("%s leads nowhere", pointer)
		}
	}
	return args
}

// compact returns JSON without whitespace, and any other text unchanged.
func compact(value json.RawMessage) string {
	v := jsontext.Value(strings.Clone(string(value)))
	_ = v.Compact() // fails for text that is not JSON
	return string(v)
}

// TestNamePlaces checks NameSpans in every dialect.
func TestNamePlaces(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		texts := []string{d.Example}
		if text, ok := d.Render(chat.Call{Name: "note", ID: "1", Arguments: []byte(`{"note":"note"}`)}, nil); ok {
			texts = append(texts, "I note it.\n"+text, text)
		}
		for _, text := range texts {
			r := Scan(text, Options{Dialect: *d})
			for i, c := range r.Calls {
				if got := text[r.NameSpans[i].Start:r.NameSpans[i].End]; strings.Trim(got, `"`) != c.Name && !strings.HasSuffix(got, "."+c.Name) && !strings.HasPrefix(strings.TrimPrefix(got, "functions."), c.Name) {
					t.Errorf("%q: the name %s of call %d is at %q", text, c.Name, i, got)
				}
			}
		}
	})
}
