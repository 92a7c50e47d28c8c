package lint

import (
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// In every dialect, a finding about an argument is located at its value, or at the name of an
// unknown argument. The value before it is the same.
func TestPlacesInEveryDialect(t *testing.T) {
	o := Options{Tools: greeting(t)}
	const quotes = "\"'`"
	for _, d := range dialect.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			c := chat.Call{Name: "greet", ID: "1", Arguments: json.RawMessage(`{"name":"two","times":"two","loud":"two"}`)}
			text, ok := d.Render(c, nil)
			if !ok {
				t.Fatal("it cannot be written")
			}
			o.Dialect = d
			places := map[diag.Code]string{}
			for _, f := range asText("f", []byte(text), o).Findings {
				places[f.Code] = text[f.Span.Start:f.Span.End]
				if first := strings.Index(text, "two"); f.Span.Start <= first {
					t.Errorf("%s stands at %d, and the value before it at %d", f.Code, f.Span.Start, first)
				}
			}
			value := places[diag.WrongType]
			for _, mark := range dialect.StringDelimiters() {
				value = strings.Trim(value, mark)
			}
			if strings.Trim(value, quotes) != "two" || strings.Trim(places[diag.UnknownArg], quotes) != "loud" {
				t.Errorf("%q in\n%s", places, text)
			}
		})
	}
}

// A single argument that is the text after a name is located there.
func TestPlaceOfLastText(t *testing.T) {
	for _, tt := range []struct{ text, args, want string }{
		{"python\nx = 1\n", `["x = 1"]`, "x = 1"},
		{"f: x x\r\n", `["x"]`, "x"},
		{"f x y", `["x"]`, ""},
		{"f x y", `["x","y"]`, ""},
		{"f x", `[""]`, ""},
		{"f 5", `[5]`, ""},
	} {
		at, got := locateTrailingText(tt.text, []byte(tt.args))["/0"], ""
		if at.exact {
			got = tt.text[at.Value.Start:at.Value.End]
		}
		if got != tt.want || at.exact && !at.isText {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
