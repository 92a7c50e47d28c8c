package literal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// The stops of the tests: one begins like a list, one like the end of one, and one is a prefix
// of another.
var testStops = []string{"</call>", "[TOOL]", "]<]", "<<", "<<<"}

// A stop ends the item wherever it begins outside strings, whatever is open.
func TestStops(t *testing.T) {
	o := Options{Stops: NewStops(testStops...)}
	value := func(o Options) *Scanner { s := NewJSON(o); s.ExpectValue(); return s }
	mark := func(o Options) *Scanner { s := NewJSON(o); s.ExpectPunct("[]", false); return s }
	rest := func(o Options) *Scanner { s := NewJSON(o); s.SkipToClosingBracket("{"); return s }
	over := func(o Options) *Scanner { s := NewJSON(o); s.SkipInvalid(); return s }
	object := func(o Options) *Scanner { s := NewJSON(o); s.ExpectObject([]string{"a"}); return s }
	private := func(o Options) *Scanner { return NewDelimited(testDelimiter, o) }
	tests := []struct {
		name  string
		start func(Options) *Scanner
		text  string // up to the stop, a bar, and the stop; empty without a bar
		state State
		codes string
	}{
		{"call", NewCall, "f(1, ¦</call>", Stopped, "TC211"},
		{"call", NewCall, "f(x, ¦[TOOL]", Stopped, "TC217"},
		{"call", NewCall, "f('</call>', [[TO, ¦</call>", Stopped, "TC217"},
		{"call", NewCall, "f(`${</call>}`, ¦</call>", Stopped, "TC217"},
		{"call", NewCall, "f¦</call>", Stopped, ""},
		{"call", NewCall, "f('<<<')", Done, ""},
		{"call", NewCall, "f([TOOLS])", Invalid, "TC217"},
		{"statement", NewStatement, "a < b ¦<<", Stopped, ""},
		{"statement", NewStatement, "// f() ¦</call>", Stopped, ""},
		{"statement", NewStatement, "/* f() </cal ¦</call>", Stopped, ""},
		{"value", value, "¦</call>", Stopped, "TC211"},
		{"value", value, `{"a": [¦[TOOL]`, Stopped, "TC211"},
		{"value", value, `{"a": 1¦]<]`, Stopped, "TC211"},
		{"value", value, `["</call>", 'a[TOOL]', "]<]"]`, Done, "TC202"},
		{"value", value, `[TRUE]`, Invalid, "TC217"},
		{"value", value, `1</call>`, Done, ""},
		{"mark", mark, " \n¦</call>", Stopped, ""},
		{"mark", mark, "¦]<]", Stopped, ""},
		{"mark", mark, "[TOO]", Done, ""},
		{"mark", mark, "]<[", Done, ""},
		{"mark", mark, "</cool>", Invalid, ""},
		{"mark", mark, "/* ¦</call>", Stopped, "TC208"},
		{"rest", rest, `1, "</call>", [¦[TOOL]`, Stopped, ""},
		{"rest", rest, `1, it's ]<[ }`, Invalid, ""},
		{"over", over, `x ¦</call>`, Stopped, ""},
		{"over", over, `x ]<[`, Invalid, ""},
		{"object", object, `{"a": "</call>", "b": ¦</call>`, Stopped, "TC220"},
		{"object", object, `{"a"¦</call>`, Stopped, "TC220"},
		{"object", object, `{a¦</call>`, Stopped, "TC217"},
		{"object", object, `{"a": x, "b": ¦</call>`, Stopped, "TC217"},
		{"object", object, `{"a": "</call>"}`, Done, ""},
		{"python", NewPython, "f(a='</call>', b=[¦[TOOL]", Stopped, "TC211"},
		{"python", NewPython, "f(a='''</call>''') # ¦</call>", Done, ""},
		{"python", NewPython, "# ¦</call>", Stopped, ""},
		{"python", NewPython, "f(a=x¦</call>", Stopped, "TC217"},
		{"private", private, withDelimiters("{a:~</call>~,b:¦</call>"), Stopped, "TC220"},
		{"private", private, withDelimiters("{a:x¦[TOOL]"), Stopped, "TC211"},
		{"private", private, withDelimiters("{a¦</call>"), Stopped, "TC220"},
		{"private", private, withDelimiters("{a:[b]c:¦</call>"), Stopped, "TC210 TC220"},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.text, func(t *testing.T) {
			before, stop, _ := strings.Cut(test.text, "¦")
			text := before + stop
			for _, piece := range []int{1, 2, 3, len(text)} {
				s := test.start(o)
				n, state := writePieces(s, text, piece)
				left := s.Unread() + text[n:]
				if state == Stopped && (left != "" || s.End() != len(before) || s.Stop() != stop) {
					t.Errorf("pieces of %d: stopped by %q at %d, left is %q", piece, s.Stop(), s.End(), left)
				}
				if got := codes(s.Findings()); state != test.state || got != test.codes {
					t.Errorf("pieces of %d: state %d, %q", piece, state, got)
				}
			}
		})
	}
}

// writePieces writes a text in pieces until something has been read, and returns
// how many bytes were written.
func writePieces(s *Scanner, text string, piece int) (i int, state State) {
	for i < len(text) && state == NeedMore {
		var n int
		n, state = s.Write([]byte(text[i:min(len(text), i+piece)]))
		i += n
	}
	if state == NeedMore {
		state = s.Close()
	}
	return i, state
}

// The possible start of a stop is not lost if no stop follows.
func TestHeldBack(t *testing.T) {
	for text, want := range map[string]string{"[TOO]": "TOO]", "]<[": "<[", "</cool>": "</cool>", "</c": "</c", "x": "x"} {
		for piece := 1; piece <= len(text); piece++ {
			s := NewJSON(Options{Stops: NewStops(testStops...)})
			s.ExpectPunct("[]", false)
			i, _ := writePieces(s, text, piece)
			left := s.Unread() + text[i:]
			if left != want {
				t.Errorf("%q in pieces of %d: %q is left, want %q", text, piece, left, want)
			}
			if c, ok := s.peek([]byte(left)); !ok || c != want[0] {
				t.Errorf("%q in pieces of %d: the next byte is %q", text, piece, c)
			}
		}
	}
}

// A lawCase is a way to read a text, for the streaming law.
type lawCase struct {
	Calls    []chat.Call
	Findings []diag.Finding
	States   []string
}

// readLaw reads Python calls, or objects with string delimiters, one after another.
func readLaw(text string, piece int, o Options, private bool) lawCase {
	var r lawCase
	take := func(s *Scanner, state State) {
		if call, ok := s.Call(); ok && !private {
			r.Calls = append(r.Calls, call)
		}
		r.Findings = append(r.Findings, s.Findings()...)
		r.States = append(r.States, fmt.Sprint(state, s.Status(), s.ValueChanged(), s.End(), s.Stop(), s.IsInWrapperCall(), string(s.Value())))
	}
	if private {
		objectList(text, piece, o, take)
	} else {
		pythonList(text, piece, o, take)
	}
	return r
}

// objectList reads objects with string delimiters one after another.
func objectList(text string, piece int, o Options, take func(*Scanner, State)) {
	s := NewDelimited(testDelimiter, o)
	for i := strings.IndexByte(text, '{'); i >= 0 && i < len(text); {
		s.ResetAt(i)
		s.Next()
		n, state := writePieces(s, text[i:], piece)
		take(s, state)
		i += n - len(s.Unread())
		next := strings.IndexByte(text[i:], '{')
		if next < 0 {
			return
		}
		i += next
	}
}

// checkLaw checks the streaming law for Python and for string delimiters, with and without
// stops, and that values are JSON.
func checkLaw(t *testing.T, text string) {
	t.Helper()
	for _, private := range []bool{false, true} {
		for _, o := range []Options{{}, {Stops: NewStops(testStops...), Wrapper: "print"}} {
			whole := readLaw(text, max(1, len(text)), o, private)
			for _, piece := range []int{1, 2, 3, 7} {
				if diff := difference(whole, readLaw(text, piece, o, private), cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("pieces of %d of %q, private: %t (-whole +pieces)\n%s", piece, text, private, diff)
				}
			}
			checkReading(t, reading{Calls: whole.Calls, Findings: whole.Findings}, text)
		}
	}
}

// peek returns the next byte to read if rest is written next, and false at the end. It
// differs from the first byte of rest while lookahead is pending.
func (s *Scanner) peek(rest []byte) (byte, bool) {
	for _, b := range [][]byte{s.lookahead, rest} {
		if len(b) > 0 {
			return b[0], true
		}
	}
	return 0, false
}
