package literal

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

func ExampleParseCall() {
	call, findings := ParseCall(`gmail_list({maxResults: 5, labelIds: ['INBOX',]})`)
	fmt.Println(call.Name, string(call.Arguments), call.Status, len(findings))
	// Output: gmail_list [{"maxResults":5,"labelIds":["INBOX"]}] ok 0
}

func codes(findings []diag.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, string(f.Code))
	}
	return strings.Join(all, " ")
}

func TestParseCall(t *testing.T) {
	tests := []struct {
		text      string
		name      string
		arguments string
		status    chat.Status
		codes     string
	}{
		{"f()", "f", `[]`, chat.StatusOK, ""},
		{" /* a */ f ( 1 , 2 ) ; // b", "f", `[1,2]`, chat.StatusOK, ""},
		{"f({a: 1})", "f", `[{"a":1}]`, chat.StatusOK, ""},
		{"f(a=1)", "f", `{"a":1}`, chat.StatusRepaired, "TC221"},
		{"tools.f(1)", "f", `[1]`, chat.StatusRepaired, "TC309"},
		{"f(010)", "f", `[10]`, chat.StatusAmbiguous, "TC216"},
		{`f("\d")`, "f", `["\\d"]`, chat.StatusRepaired, "TC205"},
		{"f(", "f", ``, chat.StatusTruncated, "TC404"},
		{"f(x)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f() g()", "f", `[]`, chat.StatusOK, "TC113"},
		{"return f()", "", ``, "", "TC113"},
		{"f", "", ``, "", "TC404"},
		{"", "", ``, "", "TC113"},
		{"1 + 1", "", ``, "", "TC113"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			call, findings := ParseCall(test.text)
			if call.Name != test.name || string(call.Arguments) != test.arguments || call.Status != test.status {
				t.Errorf("got %s %s %s", call.Name, call.Arguments, call.Status)
			}
			if got := codes(findings); got != test.codes {
				t.Errorf("findings %q, want %q", got, test.codes)
			}
			if call.Executable && diag.HasErrors(findings) {
				t.Error("executable in spite of errors")
			}
		})
	}
}

func TestValue(t *testing.T) {
	tests := []struct{ text, want, codes string }{
		{`"a"`, `"a"`, ""},
		{"`a`", `"a"`, ""},
		{" 0x10 ", `16`, ""},
		{"true", `true`, ""},
		{"-1.50e+3", `-1.50e+3`, ""},
		{"[1, {a: [null]}] // done", `[1,{"a":[null]}]`, ""},
		{"", "", "TC404"},
		{"[1", "", "TC404"},
		{"'a", "", "TC404"},
		{"1 2", "", "TC220"},
		{"x", "", "TC217"},
		{"]", "", "TC211"},
		{"1,", "", "TC220"},
		{"f(1)", "", "TC217"},
		{"{a: 1, a: 2}", "", "TC214"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, findings := parseValue(test.text)
			if string(got) != test.want || codes(findings) != test.codes {
				t.Errorf("got %s %q, want %s %q", got, codes(findings), test.want, test.codes)
			}
		})
	}
}

func TestParseNumber(t *testing.T) {
	tests := []struct{ token, json, form string }{
		{"0", "0", ""},
		{"-0", "-0", ""},
		{"1.50", "1.50", ""},
		{"12345678901234567890", "12345678901234567890", ""},
		{"1e400", "1e400", ""},
		{"1E-5", "1E-5", ""},
		{".5", "0.5", ""},
		{"5.", "5", ""},
		{"5.e3", "5e3", ""},
		{"1_000.000_1", "1000.0001", ""},
		{"0xFFFFFFFFFFFFFFFFFF", "4722366482869645213695", ""},
		{"-0b101", "-5", ""},
		{"0O17", "15", ""},
		{"+1", "1", "a plus sign"},
		{"007", "7", "a leading zero"},
		{"00", "0", "a leading zero"},
		{"00.5", "0.5", "a leading zero"},
		{"10n", "10", "the suffix n"},
		{"1__0", "10", "a misplaced underscore"},
	}
	for _, test := range tests {
		n := parseNumber(test.token)
		if n.invalid || n.maybeOctal || n.json != test.json || n.issue != test.form || !json.Valid([]byte(n.json)) {
			t.Errorf("parseNumber(%q) = %+v, want %s %q", test.token, n, test.json, test.form)
		}
	}
	for _, token := range []string{"-", "+", ".", "1.2.3", "1e", "1e+", "0x", "0xg", "0b2", "12px", "--1", "e5", "_1e", "0x" + strings.Repeat("f", maxRadixDigits+1)} {
		if n := parseNumber(token); !n.invalid {
			t.Errorf("parseNumber(%q) = %+v", token, n)
		}
	}
	for token, octal := range map[string]bool{"010": true, "0755": true, "-010": true, "07": false, "08": false, "0o10": false, "01.5": false} {
		if n := parseNumber(token); n.maybeOctal != octal {
			t.Errorf("parseNumber(%q) = %+v", token, n)
		}
	}
}

func TestCanRoundTrip(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "-0.0": true, "0.1": true, "1e308": true, "9007199254740992": true, "9007199254740993": false,
		"100000000000000000000": true, "12345678901234567890": false, "0.30000000000000004": true, "1e309": false,
		"5e-324": true, "1e-400": false, "0.1234567890123456789": false, "1e99999999999999999999": false, "0e99999999999999999999": true,
		"1" + strings.Repeat("0", 400): false,
	} {
		if got := canRoundTripAsFloat(number); got != want {
			t.Errorf("canRoundTripAsFloat(%s) = %t", number, got)
		}
	}
}

// A reading is the result of scanning a text.
type reading struct {
	Calls    []chat.Call
	Junk     []diag.Span
	Findings []diag.Finding
	Value    string
	State    State
	End      int
}

// read reads statements, or one value, in pieces of a given size.
func read(s *Scanner, text string, piece int) reading {
	var r reading
	take := func() {
		if call, ok := s.Call(); ok {
			r.Calls = append(r.Calls, call)
		}
		if junk, ok := s.NonCall(); ok {
			r.Junk = append(r.Junk, junk)
		}
		r.Findings = append(r.Findings, s.Findings()...)
	}
	rest := []byte(text)
	for len(rest) > 0 {
		n, state := s.Write(rest[:min(piece, len(rest))])
		rest = rest[n:]
		if state == FenceClosed || state != NeedMore && s.goal == goalValue {
			break
		}
		if state != NeedMore {
			take()
			s.Next()
		}
	}
	r.State = s.Close()
	take()
	r.Value, r.End = string(s.Value()), s.End()
	return r
}

func newStatement() *Scanner { return NewStatement(Options{Fence: Fence{Char: '`', Len: 3}}) }
func newValue() *Scanner     { return newScanner(goalValue, javaScript, Options{}) }

func TestStatements(t *testing.T) {
	tests := []struct{ text, calls, junk string }{
		{"f(); g()", "f g", ""},
		{"return f() /* a */ await g()", "f g", ""},
		{"const a = 1; f(a); g()", "f g", "const a = 1"},
		{"f\ng()\nh\n(1)", "g h", "f"},
		{"f().then(g())\nh()", "f h", ".then(g())"},
		{"x = 'f();\ng()'; h()", "h", "x = 'f();\ng()'"},
		{"f(\"a) g(\" b) h()", "f h", ""},
		{"f((((); g()", "f", ""},
		{"f(1)```g()", "f", ""},
		{"return ```", "", "return "},
		{"é f()\ng()", "g", "é f()"},
		{"; ;\u00a0; f()", "f", ""},
		{"~f(); a~b; c", "", "~f() a~b"},
		{strings.Repeat("f", maxNameLen+1) + "(1); g()", "g", strings.Repeat("f", maxNameLen+1) + "(1)"},
		{"if(x) f()\nfor(;;) g()\nh()", "h", "if(x) f()\nfor(;;) g()"},
		{"if (x)\n  f();\nelse\n  g();\nh()", "h", "if (x)\n  f() else\n  g()"},
		{"if (x) // why\n{\n  f();\n}\nh()", "h", "if (x) // why\n{\n  f();\n}"},
		{"if x:\n    f()\n    g()\n", "", "if x:\n    f()\n    g()\n"},
		{"if x:\n    f(1)\n    g()\n\n    return h();\nk();", "", "if x:\n    f(1)\n    g()\n\n    return h();\nk();"},
		{"if x: # why\n    f()\n    g()", "", "if x: # why\n    f()\n    g()"},
		{"if x: f(); g()\nh()", "h", "if x: f(); g()"},
		{"try:\n  x\nexcept E:\n  f()\n  g();\nelse:\n  h()", "", "try:\n  x\nexcept E:\n  f()\n  g();\nelse:\n  h()"},
		{"while (x)\n\n  return f()\ng()", "g", "while (x)\n\n  return f()"},
		{"match x:\n  case 1:\n    f()\n    g()", "", "match x: case 1:\n    f()\n    g()"},
		{"while (x)\n// why\n  return f()\ng()", "g", "while (x)\n// why\n  return f()"},
		{"const a = () =>\n  f()\ng()", "g", "const a = () =>\n  f()"},
		{"a &&\n\n  f()\na.b ||\n  f()\na ?\n  f()\ng()", "g", "a &&\n\n  f() a.b ||\n  f() a ?\n  f()"},
		{"a |\nf()\n<b>\ng()", "f g", "a | <b>"},
		{"# Is it a?\nf()\n# a &&\ng()", "f g", "# Is it a? # a &&"},
		{"What is the weather?\nf()\nI'll check, is it there?\ng()\nSo we\tgo.\\\nh()", "f g h", "What is the weather? I'll check, is it there? So we\tgo.\\"},
		{"Какая погода?\nf()", "f", "Какая погода?"},
		{"a and b \\\nf()\n\"k\" in a ?\nf()\nB a = b ?\nf()\nawait a ?\nf()\ng()", "g", "a and b \\\nf() \"k\" in a ?\nf() B a = b ?\nf() await a ?\nf()"},
		{"total / count ?\nf()\ni< n ?\nf()\nx in /a b/ ?\nf()\ng()", "g", "total / count ?\nf() i< n ?\nf() x in /a b/ ?\nf()"},
		{"/yes please/ ?\nf()\na/**/in b ?\nf()\na`b`in c ?\nf()\ng()", "g", "/yes please/ ?\nf() a/**/in b ?\nf() a`b`in c ?\nf()"},
		{"a ||`b`\nf()\nif (a) `b`\ng()", "f g", "a ||`b` if (a) `b`"},
		{"a ?\nf() :\ng()\na / b ? c :\ng()\nIs it a? Yes:\nh()", "h", "a ?\nf() :\ng() a / b ? c :\ng() Is it a? Yes:"},
		{"for now\nf()", "f", "for now"},
		{"while(a) while(b)\nf()\ng()", "g", "while(a) while(b)\nf()"},
		{"function f()\n{ g() }\nh()", "h", "function f()\n{ g() }"},
		{"try\n{ f() } catch (e) { g() }\nh()", "h", "try\n{ f() } catch (e) { g() }"},
		{"été's f()\ng()", "g", "été's f()"},
		{"delete(1); import(2)", "delete import", ""},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.30q", test.text), func(t *testing.T) {
			r := read(newStatement(), test.text, len(test.text))
			var calls, junk []string
			for _, c := range r.Calls {
				calls = append(calls, c.Name)
			}
			for _, j := range r.Junk {
				junk = append(junk, test.text[j.Start:j.End])
			}
			if got := strings.Join(calls, " "); got != test.calls {
				t.Errorf("calls %q, want %q", got, test.calls)
			}
			if got := strings.Join(junk, " "); got != test.junk {
				t.Errorf("junk %q, want %q", got, test.junk)
			}
		})
	}
}

// TestBounds checks that the findings and edits of a call are bounded.
func TestBounds(t *testing.T) {
	call, findings := ParseCall("f(" + strings.Repeat("True,", 10*maxFindings) + ")")
	if len(findings) != maxFindings || call.Status != chat.StatusRepaired {
		t.Errorf("%d findings, %s", len(findings), call.Status)
	}
	call, findings = ParseCall("f('" + strings.Repeat("\n", maxEditBytes) + "')")
	if len(findings) != 1 || len(findings[0].Fixes) != 0 || call.Status != chat.StatusRepaired {
		t.Errorf("%v, %s", findings, call.Status)
	}
	if _, findings = ParseCall("f({" + strings.Repeat("a", 300) + ":{b:NaN}})"); findings[0].Path != "/0" {
		t.Errorf("path %q", findings[0].Path)
	}
	if _, findings = ParseCall(`f({"a/b~c":[1,NaN]})`); findings[0].Path != "/0/a~1b~0c/1" {
		t.Errorf("path %q", findings[0].Path)
	}
}

func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "k%d: %d,", i, i)
	}
	if _, findings := parseValue("{" + b.String() + "}"); len(findings) > 0 {
		t.Error(findings)
	}
	if _, findings := parseValue("{" + b.String() + "k1234: 0}"); codes(findings) != "TC214" {
		t.Error(findings)
	}
}

func TestDepth(t *testing.T) {
	for depth, want := range map[int]string{3: "", 4: "TC218"} {
		s := newScanner(goalValue, javaScript, Options{MaxDepth: 3})
		s.Write([]byte(strings.Repeat("[", depth) + strings.Repeat("]", depth)))
		if got := codes(s.Findings()); got != want {
			t.Errorf("depth %d: %q", depth, got)
		}
	}
}

func TestBase(t *testing.T) {
	s := NewCall(Options{Base: 100})
	s.Write([]byte("  f(True)"))
	call, _ := s.Call()
	if call.Start != 102 || call.End != 109 || s.Findings()[0].Span != diag.Bytes(104, 108) {
		t.Errorf("call %d-%d, %v", call.Start, call.End, s.Findings())
	}
}

// checkPieces checks the streaming law for statements and values.
func checkPieces(t *testing.T, text string) {
	t.Helper()
	for _, start := range []func() *Scanner{newStatement, newValue} {
		whole := read(start(), text, max(1, len(text)))
		for _, piece := range []int{1, 2, 3, 7} {
			if diff := difference(whole, read(start(), text, piece)); diff != "" {
				t.Fatalf("pieces of %d of %q (-whole +pieces)\n%s", piece, text, diff)
			}
		}
		checkReading(t, whole, text)
	}
}

func checkReading(t *testing.T, r reading, text string) {
	t.Helper()
	for _, c := range r.Calls {
		if c.Start < 0 || c.End > len(text) || c.Start > c.End || text[c.Start:c.End] != c.Text {
			t.Fatalf("call %q at [%d, %d) of %q", c.Text, c.Start, c.End, text)
		}
		if c.Executable && !json.Valid(c.Arguments) {
			t.Fatalf("call %q has the arguments %q", c.Text, c.Arguments)
		}
	}
	for _, f := range r.Findings {
		if f.Span.Start < 0 || f.Span.End > len(text) || f.Span.Start > f.Span.End {
			t.Fatalf("%v at [%d, %d) of %q", f, f.Span.Start, f.Span.End, text)
		}
	}
	if r.Value != "" && !json.Valid([]byte(r.Value)) {
		t.Fatalf("value %q of %q", r.Value, text)
	}
}

// parseValue parses a text that is one literal, with whitespace, comments and semicolons around
// it, and returns it as JSON; nil if it has an error.
func parseValue(text string) (json.RawMessage, []diag.Finding) {
	s := newValue()
	n, state := s.Write([]byte(text))
	if state == NeedMore {
		s.Close()
	}
	value, findings := s.Value(), s.Findings()
	if value != nil && hasTrailingText(text[n:]) {
		return nil, append(findings, diag.New(diag.BadLiteral, diag.Bytes(n, len(text)), "unexpected text after the value"))
	}
	return value, findings
}

// difference describes how two values differ. It is "" if they are deeply equal.
func difference[T any](want, got T, opts ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, opts...)
}
