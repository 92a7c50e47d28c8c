package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"oneshot/internal/testsize"
)

// Arguments are located in every JSON-like notation, even where they were parsed differently than
// they look.
func TestArgumentPlaces(t *testing.T) {
	for _, tt := range []struct{ name, text, args, pointer, want string }{
		{"JSON", `{"name": "f", "arguments": {"a": [1, {"b" : "x"}], "c": 2}}`, `{"a":[1,{"b":"x"}],"c":2}`, "/a/1/b", `"x"`},
		{"container", `{"a": [1, {"b" : "x"} ], "c": 2}`, `{"a":[1,{"b":"x"}],"c":2}`, "/a", `[1, {"b" : "x"} ]`},
		{"escapes", `f{"a":"\u00e9","b":"\\"}`, `{"a":"é","b":"\\"}`, "/b", `"\\"`},
		{"JavaScript", "f({a: 'it\\'s', // {\n b: [`x`,\n],c:+5})", `[{"a":"it's","b":["x"],"c":5}]`, "/0/c", "+5"},
		{"by position", `f("a", /* ) */ [True, 0x10])`, `["a",[true,16]]`, "/1/1", "0x10"},
		{"Python", `g.f(a='''it's''', b={'k': (1, None)}, c="5") # x`, `{"a":"it's","b":{"k":[1,null]},"c":"5"}`, "/c", `"5"`},
		{"tuple", `f(b={'k': (1, None)})`, `{"b":{"k":[1,null]}}`, "/b/k/1", `None`},
		{"missing", `{"a":{"b":1}}`, `{"a":{"b":1}}`, "/a/c", `{"b":1}`},
		{"missing at the top", `{"a":1}`, `{"a":1}`, "/b", `{"a":1}`},
		{"the name again", `{"type":"f","id":"1","parameters":{"type":"f"}}`, `{"type":"f"}`, "/type", `"f"`},
		{"another value", `{"a":"x"}`, `{"a":"y"}`, "/a", ""},
		{"private quotes", `call:f{a:<|"|>{b:"<|"|>,b:5}`, `{"a":"{b:\"","b":5}`, "/b", "5"},
		{"private quotes, the string", `call:f{a:<escape>x<escape>}`, `{"a":"x"}`, "/a", "<escape>x<escape>"},
		{"markup", "<function=f>\n<parameter=a>\n(5)\n</parameter>", `{"a":"(5)"}`, "/a", ""},
		{"cut", `{"a": "x`, `{"a":"x"}`, "/a", ""},
		{"nothing", ``, `{}`, "/a", ""},
	} {
		spot, ok := locateInText(tt.text, []byte(tt.args), []string{tt.pointer})[tt.pointer]
		got := ""
		if ok {
			got = tt.text[spot.Value.Start:spot.Value.End]
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Member names are located, too.
func TestArgumentNames(t *testing.T) {
	text := `f({ a: 1, "b": 'x' })`
	places := locateInText(text, []byte(`[{"a":1,"b":"x"}]`), []string{"/0/a", "/0/b"})
	for pointer, want := range map[string]string{"/0/a": "a", "/0/b": `"b"`} {
		if name := places[pointer].Name; text[name.Start:name.End] != want {
			t.Errorf("%s stands at %q", pointer, text[name.Start:name.End])
		}
	}
}

// The cost is linear for long arguments and for texts with many brackets.
func TestArgumentPlacesAreLinear(t *testing.T) {
	count := testsize.Pick(1<<20, 1<<18)
	long := strings.Repeat(`"x",`, count)
	text := strings.Repeat("(", 100) + "f([" + long + `"5"])`
	begin := time.Now()
	locateInText(text, []byte("[["+long+`"5"]]`), []string{fmt.Sprintf("/0/%d", count)})
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}
