package literal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

func TestParseJSON(t *testing.T) {
	tests := []struct {
		text, want string
		status     chat.Status
		changed    bool
		codes      string
	}{
		{`{"a": [1.50, null, "\u00e9\/"], "b": {}}`, `{"a":[1.50,null,"é/"],"b":{}}`, chat.StatusOK, false, ""},
		{` "a" `, `"a"`, chat.StatusOK, false, ""},
		{`12345678901234567890`, `12345678901234567890`, chat.StatusOK, false, "TC215"},
		{`{'a': 'b"c\'d', "e": "f\'g",}`, `{"a":"b\"c'd","e":"f'g"}`, chat.StatusRepaired, false, "TC202 TC202 TC205 TC201"},
		{`{a: True, 1: None} // c`, `{"a":true,"1":null}`, chat.StatusRepaired, false, "TC209 TC203 TC209 TC203 TC208"},
		{"/* a */[0x1F, .5, +1, 1_000,\u00a0`x\ny`]", `[31,0.5,1,1000,"x\ny"]`, chat.StatusRepaired, false, "TC208 TC216 TC216 TC216 TC216 TC220 TC202"},
		{`"a\d\x41\v\0\u{1F600}"`, `"a\\d\\x41\\v\\0\\u{1F600}"`, chat.StatusRepaired, true, "TC205"},
		{"\"a\\\nb\\\r\nc\"", `"a\\\nb\\\r\nc"`, chat.StatusRepaired, true, "TC205 TC204"},
		{`010`, `10`, chat.StatusAmbiguous, false, "TC216"},
		{`{"a": 1`, "", chat.StatusTruncated, false, "TC404"},
		{`"a`, "", chat.StatusTruncated, false, "TC404"},
		{`{} /*`, "", chat.StatusInvalid, false, "TC404"},
		{`{"a": 1} {}`, "", chat.StatusInvalid, false, "TC212"},
		{`{} é`, "", chat.StatusInvalid, false, "TC220"},
		{`{} /`, "", chat.StatusInvalid, false, "TC220"},
		{`{} ;`, "", chat.StatusInvalid, false, "TC220"},
		{`{"a": x}`, "", chat.StatusInvalid, false, "TC217"},
		{`{"a": 1, "\u0061": 2}`, "", chat.StatusInvalid, false, "TC214"},
		{`{"a" 1}`, "", chat.StatusInvalid, false, "TC220"},
		{"`${a}`", "", chat.StatusInvalid, false, "TC217"},
		{`f(1)`, "", chat.StatusInvalid, false, "TC217"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			r := ParseJSON(test.text)
			if string(r.Value) != test.want || r.Status != test.status || r.ValueChanged != test.changed || codes(r.Findings) != test.codes {
				t.Errorf("got %s, %s, changed: %t, %q", r.Value, r.Status, r.ValueChanged, codes(r.Findings))
			}
		})
	}
}

// A seen is a part that was read.
type seen struct {
	State    State
	Mark     byte
	Span     diag.Span
	Text     string
	Members  []string
	Others   int
	Other    diag.Span
	Status   chat.Status
	Findings []diag.Finding
}

// readParts reads a text as punctuation, objects and, after colons, values, and skips the rest,
// in pieces of a given size.
func readParts(text string, piece int, stops []string) (parts []seen, steps int) {
	s := NewJSON(Options{Fence: Fence{Char: '`', Len: 3}, Stops: NewStops(stops...)})
	s.ExpectPunct("[],:}", true)
	object, value := false, false
	take := func(state State) {
		p := seen{State: state, Status: s.Status(), Findings: s.Findings(), Span: diag.Bytes(0, s.End())}
		if object {
			p.Text, p.Span = s.ObjectText(), s.ValueSpan()
			p.Others, p.Other = s.ExtraMembers()
			for i, m := range s.Members() {
				value, _ := m.Text()
				p.Members = append(p.Members, fmt.Sprint(i, m.Index, m.KeySpan(), m.ValueSpan(), m.Kind(), value, string(s.JSON(&m))))
			}
		} else if value {
			p.Span, p.Members = s.ValueSpan(), []string{string(s.Value())}
		} else if state == Done {
			p.Mark = s.Punct()
		}
		parts = append(parts, p)
	}
	next := func(c byte, bad bool) {
		last := parts[len(parts)-1]
		object, value = bad && c == '{', last.Mark == ':' && last.State == Done
		switch {
		case value:
			s.ExpectValue()
		case object:
			s.ExpectObject([]string{"type", "parameters"})
		case bad:
			s.SkipInvalid()
		default:
			s.ExpectPunct("[],:}", true)
		}
	}
	marks := true
	for i := 0; i < len(text); {
		n, state := s.Write([]byte(text[i:min(len(text), i+piece)]))
		i += n
		if state == NeedMore {
			continue
		}
		take(state)
		c, more := s.peek([]byte(text[i:]))
		if state == FenceClosed || state == Stopped || !more && !(marks && state == Invalid) {
			marks = true
			next(0, false)
			continue
		}
		bad := marks && state == Invalid && s.Unread() == string(s.lookahead)
		marks = !bad
		if more {
			next(c, bad)
			marks = marks && !value
		}
	}
	for i := 0; i < 3; i++ { // something held back may be several parts
		take(s.Close())
		next(0, false)
	}
	return parts, s.steps
}

var jsonPieces = []string{
	`{"type":"a","parameters":{"x":[1,2.5e3,"\n\"\\"],"y":null}}`, `{"type":"a"}`, `{ "type" : "a", "other": 1, "more": {} }`, `{"type":"a","parameters":{"x":1},`,
	`{"type":x,"y":[`, `{"type":"\u00e9\/","parameters":{"é":"😀"}}`, `{'type':'a'}`, `{"type":"a",}`, `{"a":12345678901234567890}`, `{"a":01}`, `{"a":tru}`, `{"a":truex}`,
	`{"a":1,"a":2}`, `{"a":1e5}`, `{"a":-}`, `{"a":-0.5}`, `{"a":1.}`, `{"a" :` + "\t1\r\n}", `{"a":"` + "\x01" + `"}`, `{"a":"` + "\xff" + `"}`, `{}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1 2}`,
	`{"a":{"a":{"a":[[{}]]}}}`, "{\"a\":`x`}", `{"a":"\d"}`, `{"a\n":1}`, `{"\u0061":1,"a":2}`,
	"[", "]", ",", ":", "}", "{", `"`, "'", "`", "```", "\n```", " ", "\n", "// c\n", "/* c */", "/", "x", "é", "\u00a0", "1", "it's", `\`,
	":[]", ":[]<]", "<", "</call>", "\f", "\v", "</cal", "[TOOL]", "[TOO", "]<]", "]<", "<<",
}

func checkParts(t *testing.T, text string) {
	t.Helper()
	for _, stops := range [][]string{nil, testStops} {
		checkPartsWith(t, text, stops)
	}
}

func checkPartsWith(t *testing.T, text string, stops []string) {
	t.Helper()
	whole, _ := readParts(text, max(1, len(text)), stops)
	for _, piece := range []int{1, 2, 3, 7} {
		got, _ := readParts(text, piece, stops)
		if diff := difference(whole, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("pieces of %d of %q (-whole +pieces)\n%s", piece, text, diff)
		}
	}
	for _, p := range whole {
		if p.Text != "" && !strings.HasPrefix(text[p.Span.Start:], p.Text) {
			t.Fatalf("object %q at %d of %q", p.Text, p.Span.Start, text)
		}
		for _, f := range p.Findings {
			if f.Span.Start < 0 || f.Span.End > len(text) || f.Span.Start > f.Span.End {
				t.Fatalf("%v at [%d, %d) of %q", f, f.Span.Start, f.Span.End, text)
			}
		}
	}
}

// Whole objects and values take the fast path, those in pieces do not: both give the same
// result.
func TestParts(t *testing.T) {
	for i, a := range jsonPieces {
		checkParts(t, a)
		for j := i % partsStride; j < len(jsonPieces); j += partsStride {
			checkParts(t, "["+a+","+jsonPieces[j]+"]")
			checkParts(t, "["+a+": "+a+": "+jsonPieces[j]+", 1]")
		}
	}
}

// checkWhole checks that the fast path gives the same result as reading byte by byte.
func checkWhole(t *testing.T, text string) {
	t.Helper()
	s := NewJSON(Options{})
	s.ExpectValue()
	state, n := NeedMore, 0
	for ; n < len(text) && state == NeedMore; n++ {
		var k int
		if k, state = s.Write([]byte(text[n : n+1])); k == 0 {
			n--
		}
	}
	if state == NeedMore {
		state = s.Close()
	}
	good := state == Done && s.Status() == chat.StatusOK && len(s.Findings()) == 0 && strings.Trim(text[n:], " \t\r\n") == ""
	switch r := ParseJSON(text); {
	case good && string(s.Value()) != string(r.Value):
		t.Fatalf("%q is read as %s, and byte by byte as %s", text, r.Value, s.Value())
	case good != (r.Status == chat.StatusOK && len(r.Findings) == 0):
		t.Fatalf("%q is %s, and byte by byte %s (good: %t)", text, r.Status, s.Status(), good)
	}
}

func TestParseJSONAtOnce(t *testing.T) {
	for _, a := range jsonPieces {
		for _, text := range []string{a, " " + a + "\n", "[ " + a + ", " + a + " ] ", `{"k" : ` + a + `, "l":[` + a + " , 1 ]}", a + a} {
			checkWhole(t, text)
		}
	}
}

// checkMembers checks that the members of an object have their own values.
func checkMembers(t *testing.T, text string) {
	if !strings.HasPrefix(text, "{") {
		return
	}
	names := []string{"type", "parameters", "a", "x"}
	s := NewJSON(Options{})
	s.ExpectObject(names)
	_, state := s.Write([]byte(text))
	var want map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &want); err != nil || state != Done {
		t.Fatalf("%s: %v, %v", text, state, err)
	}
	for _, m := range s.Members() {
		if got := s.JSON(&m); !bytes.Equal(tokens(t, got), tokens(t, want[names[m.Index]])) {
			t.Fatalf("%s: %s is read as %s", text, names[m.Index], got)
		}
	}
}

// TestPartsLinear checks that twice the text takes twice the work.
func TestPartsLinear(t *testing.T) {
	for _, before := range []string{"", "[", `{"a":[`, `{"a":"`, `{"a":x,"b":[`} {
		for _, piece := range jsonPieces {
			for _, size := range []int{1, 1 << 30} {
				n := growthSize / 64
				_, small := readParts(before+strings.Repeat(piece, n/len(piece)), size, testStops)
				_, large := readParts(before+strings.Repeat(piece, 2*n/len(piece)), size, testStops)
				if float64(large) > 2.05*float64(small)+200 {
					t.Errorf("%q and many %q, pieces of %d: %d steps, twice as many take %d", before, piece, size, small, large)
				}
			}
		}
	}
}

// SkipToClosingBracket goes to the end of the open brackets and recognises strings.
func TestSkipToClosingBracket(t *testing.T) {
	for text, want := range map[string]string{
		`1, "b": [2, {}], 'c': "}"} x`: " x",
		`x y ] ) "}" {} } , 3`:         " , 3",
		`it's "a" }x`:                  "x",
		`}`:                            "",
		`[ } ]`:                        " ]",
		`"open }`:                      "",
	} {
		s := NewJSON(Options{})
		s.SkipToClosingBracket("{")
		n, state := s.Write([]byte(text))
		if got := text[n:]; got != want || state == Done {
			t.Errorf("%q: %q is left, want %q", text, got, want)
		}
	}
}
