package markup

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// all holds the syntaxes by name.
var all = map[string]*Syntax{
	"Qwen3Coder": Qwen3Coder, "SeedOSS": SeedOSS, "OpenHands": OpenHands, "MinimaxM2": MinimaxM2, "MinimaxM3": MinimaxM3,
	"DSML": DSML, "AnthropicXML": AnthropicXML, "ATEM": ATEM, "Step3": Step3, "MiniCPM5": MiniCPM5, "KimiK3": KimiK3,
	"CommandXML": CommandXML, "BFCL": BFCL, "GLM45": GLM45, "GLM47": GLM47, "HunyuanV3": HunyuanV3, "Laguna": Laguna, "LongcatXML": LongcatXML,
}

// An outcome is the complete result of a scanner.
type outcome struct {
	State        State
	End          int
	Call         chat.Call
	Alternatives []chat.Call
	Findings     []diag.Finding
}

// outcomeOf reads a text in pieces of the given sizes, and then the rest.
func outcomeOf(t testing.TB, s *Syntax, known Toolset, text string, sizes ...int) outcome {
	t.Helper()
	return outcomeWith(t, s, Options{Base: 7, Tools: known}, text, sizes...)
}

func outcomeWith(t testing.TB, s *Syntax, o Options, text string, sizes ...int) outcome {
	base := o.Base
	r := New(s, o)
	read, state := 0, NeedMore
	for left := text; left != "" && state == NeedMore; {
		size := len(left)
		if len(sizes) > 0 {
			size = min(sizes[0], size)
			sizes = sizes[1:]
		}
		var n int
		n, state = r.Write([]byte(left[:size]))
		if state == NeedMore && n != size {
			t.Fatalf("%q: %d of %d bytes are read", text, n, size)
		}
		read += n
		left = left[size:]
		if kept := cap(r.m.text); kept > 2*read+2*minPiece {
			t.Fatalf("%d bytes are kept of %d", kept, read)
		}
	}
	if state == NeedMore {
		state = r.Close()
	}
	if r.End()+len(r.Unread()) != base+read || state == Done && !strings.HasSuffix(text[:read], r.Unread()) {
		t.Fatalf("%q: read %d bytes up to %d and %q", text, read, r.End(), r.Unread())
	}
	call, _ := r.Call()
	return outcome{state, r.End(), call, r.Alternatives(), r.Findings()}
}

func checkSplits(t testing.TB, s *Syntax, known Toolset, text string) {
	t.Helper()
	whole := outcomeOf(t, s, known, text)
	check := func(sizes ...int) {
		if diff := difference(whole, outcomeOf(t, s, known, text, sizes...)); diff != "" {
			t.Fatalf("%q in pieces of %v:\n%s", text, sizes, diff)
		}
	}
	for i := 1; i < len(text) && len(text) <= 2048; i++ {
		check(i)
	}
	ones := make([]int, len(text))
	for i := range ones {
		ones[i] = 1
	}
	check(ones...)
	r := rand.New(rand.NewPCG(1, uint64(len(text))))
	for range 5 {
		var sizes []int
		for range len(text)/4 + 1 {
			sizes = append(sizes, 1+r.IntN(12))
		}
		check(sizes...)
	}
}

func TestSplits(t *testing.T) {
	for _, s := range samples {
		checkSplits(t, s.syntax, tools, s.text)
		checkSplits(t, s.syntax, nil, s.text)
	}
}

// TestCutAnywhere checks that a sample truncated before its closing marker is not
// executable.
func TestCutAnywhere(t *testing.T) {
	for _, s := range samples {
		whole := read(&s)
		call, ok := whole.Call()
		if !ok || call.Status != chat.StatusOK {
			continue
		}
		last := strings.LastIndex(s.text[:whole.End()], "<") // the closing marker
		for end := range last {
			cut := s
			cut.text = s.text[:end]
			if call, _ := read(&cut).Call(); call.Executable {
				t.Errorf("%s: %q is executable", s.name, cut.text)
			}
		}
	}
}

// TestStops checks that a stop inside a call has the effect of the end of the text.
func TestStops(t *testing.T) {
	const stop = "</think>"
	for _, s := range samples {
		for at := range len(s.text) {
			o := Options{Base: 7, Tools: tools}
			cut, whole := outcomeWith(t, s.syntax, o, s.text[:at]), outcomeWith(t, s.syntax, o, s.text)
			if cut.State == Done && whole.End <= 7+at {
				continue // the call ends before
			}
			o.Stops = literal.NewStops("</thinks>", stop)
			text := s.text[:at] + stop + s.text[at:]
			for _, sizes := range [][]int{nil, {at + 3}, {at, 1, 1, len(stop)}} {
				if diff := difference(cut, outcomeWith(t, s.syntax, o, text, sizes...)); diff != "" {
					t.Fatalf("%s: %q in pieces of %v:\n%s", s.name, text, sizes, diff)
				}
			}
		}
	}
}

// hostile holds the parts of texts that are hard to read; the middle is repeated.
var hostile = map[string]struct {
	syntax *Syntax
	begin  string
	middle string
	end    string
}{
	"long value":              {Qwen3Coder, "<function=f><parameter=a>", "x", "</parameter></function>"},
	"angle brackets":          {Qwen3Coder, "<function=f><parameter=a>", "<", "</parameter></function>"},
	"half marks":              {Qwen3Coder, "<function=f><parameter=a>", "</parameter", "></function>"},
	"closers":                 {Qwen3Coder, "<function=f><parameter=a>", "</parameter>", "</function>"},
	"closers and blanks":      {Qwen3Coder, "<function=f><parameter=a>", "</parameter>        \n", "</function>"},
	"closers and text":        {Qwen3Coder, "<function=f><parameter=a>", "</parameter>\nx", "</parameter></function>"},
	"call closers":            {Qwen3Coder, "<function=f><parameter=a>", "</function>x", ""},
	"wrapper closers":         {Qwen3Coder, "<function=f><parameter=a>", "</tool_call>\n\n\nx", ""},
	"openers":                 {Qwen3Coder, "<function=f><parameter=a>\n", "<parameter=b\n", ""},
	"parameters":              {Qwen3Coder, "<function=f>", "<parameter=a>x</parameter>", "</function>"},
	"unclosed parameters":     {Qwen3Coder, "<function=f>", "<parameter=a>\n", "</function>"},
	"calls":                   {Qwen3Coder, "<function=f><parameter=a>", "<function=f>", ""},
	"blanks":                  {Qwen3Coder, "<function=f>", " \n", "</function>"},
	"blanks before":           {Qwen3Coder, "", " ", "<function=f></function>"},
	"junk":                    {Qwen3Coder, "<function=f>", "x<", "</function>"},
	"name":                    {Qwen3Coder, "<function=", "x", "></function>"},
	"name of parameter":       {Qwen3Coder, "<function=f><parameter=", "x", "></parameter></function>"},
	"attributes":              {MinimaxM2, "<invoke name=\"f\" ", "a=\"b\" ", "></invoke>"},
	"quote":                   {MinimaxM2, "<invoke name=\"", "> ", "\"></invoke>"},
	"elements":                {MinimaxM3, "<invoke name=\"f\">", "<a>", "</invoke>"},
	"nested elements":         {MinimaxM3, "<invoke name=\"f\"><a>", "<b><c></c></b>", "</a></invoke>"},
	"element names":           {MinimaxM3, "<invoke name=\"f\"><a>", "<bbbbbbbbbbbbbbbbbbbbbbbbb", "</a></invoke>"},
	"same elements":           {MinimaxM3, "<invoke name=\"f\"><a>", "<a>1</a>", "</a></invoke>"},
	"tokens":                  {MinimaxM3, m3 + "<invoke name=\"f\">" + m3 + "<a>", m3, m3 + "</a>" + m3 + "</invoke>"},
	"keys":                    {GLM45, "<tool_call>f<arg_key>a</arg_key><arg_value>", "<arg_key>", "</arg_value></tool_call>"},
	"pairs":                   {GLM45, "<tool_call>f", "<arg_key>a</arg_key><arg_value>b", "</tool_call>"},
	"long key":                {GLM45, "<tool_call>f<arg_key>", "<a", "</arg_key><arg_value></arg_value></tool_call>"},
	"text name":               {GLM45, "<tool_call>", " ", "f</tool_call>"},
	"text name, two":          {GLM45, "<tool_call>f", " g", "</tool_call>"},
	"backslashes":             {GLM45, "<tool_call>f", `\n`, "</tool_call>"},
	"tokens of the delimiter": {KimiK3, `<|open|>call tool="f"<|sep|><|open|>argument key="a"<|sep|>`, "<|close|>", "<|close|>argument<|sep|><|close|>call<|sep|>"},
	"sections":                {MiniCPM5, `<function name="f"><param name="a"><![CDATA[`, "]]", "]]></param></function>"},
	"open section":            {MiniCPM5, `<function name="f"><param name="a"><![CDATA[`, "]]", ""},
	"object":                  {DSML, `<invoke name="f">{"a": [`, "1,", "1]}</invoke>"},
	"broken object":           {DSML, `<invoke name="f">{"a": [`, "{", "}</invoke>"},
	"values in values":        {CommandXML, `<cofl:tool_call name="f"><cofl:value name="a" type="list">`, `<cofl:value type="list">`, `</cofl:value></cofl:tool_call>`},
	"flat values":             {CommandXML, `<cofl:tool_call name="f"><cofl:value name="a" type="list">`, `<cofl:value type="json">1</cofl:value>`, `</cofl:value></cofl:tool_call>`},
	"open values":             {CommandXML, `<cofl:tool_call name="f"><cofl:value name="a" type="list">`, `<cofl:value type="raw">`, `</cofl:value></cofl:tool_call>`},
	"lists of JSON":           {CommandXML, `<cofl:tool_call name="f"><cofl:value name="a" type="json">[`, `1,`, `1]</cofl:value></cofl:tool_call>`},
	"broken JSON":             {CommandXML, `<cofl:tool_call name="f"><cofl:value name="a" type="json">[`, `{x,`, `1]</cofl:value></cofl:tool_call>`},
	"control tokens":          {ATEM, `<atem:invoke name="`, "<|", `"></atem:invoke>`},
}

func TestGrowth(t *testing.T) {
	steps := func(name string, n, piece int) int {
		h := hostile[name]
		text := h.begin + strings.Repeat(h.middle, max(1, n/len(h.middle))) + h.end
		r := New(h.syntax, Options{})
		state := NeedMore
		for i := 0; i < len(text) && state == NeedMore; i += piece {
			_, state = r.Write([]byte(text[i:min(len(text), i+piece)]))
		}
		if state == NeedMore {
			r.Close()
		}
		return r.Steps()
	}
	for name := range hostile {
		for _, piece := range []int{1, 1 << 30} {
			small, large := steps(name, growthSize, piece), steps(name, 2*growthSize, piece)
			if float64(large) > 2.05*float64(small)+1000 {
				t.Errorf("%s in pieces of %d: %d steps, and %d for twice the text", name, piece, small, large)
			}
			if large > 200*growthSize {
				t.Errorf("%s in pieces of %d: %d steps for %d bytes", name, piece, large, 2*growthSize)
			}
		}
	}
}

// TestPieces checks that a call costs its own length, however much follows it in the same piece.
func TestPieces(t *testing.T) {
	text := []byte("<function=f></function>" + strings.Repeat("x", 1<<20))
	r := New(Qwen3Coder, Options{})
	if n, state := r.Write(text); n != 23 || state != Done || r.Steps() > 2*minPiece {
		t.Errorf("%d bytes, state %d, %d steps", n, state, r.Steps())
	}
}

// writable are arguments that every syntax can write.
var writable = []string{
	`{}`,
	`{"text":"a"}`,
	`{"text":"two\nlines & <b>more</b>","count":12345678901234567890,"ratio":1.50,"draft":false}`,
	`{"tags":["a","b"],"sizes":[1,2],"meta":{"by":"A & B","year":7}}`,
	`{"path":"7","title":"","text":"true"}`,
}

func TestAppend(t *testing.T) {
	for name, s := range all {
		for _, arguments := range writable {
			checkAppend(t, name, s, chat.Call{Name: "note", Arguments: json.RawMessage(arguments)}, true)
		}
		for _, c := range []chat.Call{
			{Name: "ping", Arguments: json.RawMessage(`[]`), Positional: true},
			{Name: "note", Arguments: json.RawMessage(`[{"count":1}]`), Positional: true},
		} {
			checkAppend(t, name, s, c, true)
		}
	}
	for _, c := range []struct {
		syntax    *Syntax
		arguments string
	}{
		{Qwen3Coder, `{"text":"a\n</parameter>\n</function>"}`},
		{Qwen3Coder, `{"text":"</parameter> b"}`},
		{Qwen3Coder, `{"text":7}`},
		{Qwen3Coder, `{"a>b":"c"}`},
		{MinimaxM3, `{"tags":[]  ,"any":{"a b":1}}`},
		{GLM45, `{"text":"</arg_value></tool_call>"}`},
		{Qwen3Coder, `[1]`},
	} {
		checkAppend(t, "", c.syntax, chat.Call{Name: "note", Arguments: json.RawMessage(c.arguments)}, false)
	}
	if _, ok := Qwen3Coder.Append(nil, chat.Call{Name: "note", Arguments: json.RawMessage(`[1,2]`), Positional: true}, tools); ok {
		t.Error("two arguments without names are written")
	}
}

func checkAppend(t testing.TB, name string, s *Syntax, c chat.Call, want bool) {
	t.Helper()
	b, ok := s.Append([]byte("before"), c, tools)
	if ok != want {
		t.Errorf("%s %s: written %v %q", name, c.Arguments, ok, b)
	}
	if !ok && string(b) != "before" {
		t.Errorf("%s %s: something is written: %q", name, c.Arguments, b)
	}
}

func FuzzScanner(f *testing.F) {
	names := []string{
		"Qwen3Coder", "MinimaxM2", "MinimaxM3", "DSML", "ATEM", "Step3", "MiniCPM5", "KimiK3", "BFCL", "GLM45", "HunyuanV3", "Laguna", "CommandXML",
	}
	for i, name := range names {
		for _, s := range samples {
			if s.syntax == all[name] {
				f.Add(uint8(i), true, s.text, uint8(3))
			}
		}
	}
	f.Fuzz(func(t *testing.T, syntax uint8, known bool, text string, size uint8) {
		if len(text) > 4096 {
			return
		}
		s, with := all[names[int(syntax)%len(names)]], tools
		if !known {
			with = nil
		}
		whole := outcomeOf(t, s, with, text)
		sizes := make([]int, len(text))
		for i := range sizes {
			sizes[i] = 1 + int(size)*i%7
		}
		if diff := difference(whole, outcomeOf(t, s, with, text, sizes...)); diff != "" {
			t.Fatalf("%q in pieces of %v:\n%s", text, sizes, diff)
		}
		checkCall(t, whole.Call)
		if c := whole.Call; c.Executable && utf8.ValidString(c.Name) {
			if b, ok := s.Append(nil, c, with); ok {
				again := outcomeOf(t, s, with, string(b))
				if !isSameJSON(again.Call.Arguments, c.Arguments) {
					t.Errorf("%q: %s, %s", b, c.Arguments, again.Call.Arguments)
				}
			}
		}
	})
}

// checkCall checks the properties of every call.
func checkCall(t *testing.T, c chat.Call) {
	if c.Executable && (c.Arguments == nil || c.Name == "") {
		t.Errorf("an executable call has no name or arguments: %v", c)
	}
	if c.Arguments != nil && !json.Valid(c.Arguments) {
		t.Errorf("the arguments are no JSON: %q", c.Arguments)
	}
}

// difference describes how two values differ. It is "" if they are deeply equal.
func difference[T any](want, got T, opts ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, opts...)
}
