package yamldoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

var codes = Codes{
	Syntax: diag.DefSyntax, UnknownKey: diag.DefUnknownKey, Duplicate: diag.DefDuplicate,
	Type: diag.DefType, Missing: diag.DefMissing, Value: diag.DefValue,
}

func lines(findings []diag.Finding) []string {
	var out []string
	for _, f := range findings {
		s := fmt.Sprintf("%s %s:%d:%d %s", f.Code, f.File, f.Span.Line, f.Span.Column, f.Message)
		if f.Hint != "" {
			s += " [" + f.Hint + "]"
		}
		out = append(out, s)
	}
	return out
}

func TestSyntax(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"mapping in a plain value", "a: 1\nb: x: y\n", "TD001 f.yaml:2:5 mapping values are not allowed in this context"},
		{"flow not closed", "a: [1,\nb: 2\n", "TD001 f.yaml:3:1 while parsing a flow sequence: did not find expected ',' or ']'"},
		{"quote not closed", "a: \"x\n", "TD001 f.yaml:2:1 while scanning a quoted scalar: found unexpected end of stream"},
		{"tab", "a:\n\tb: 1\n", "TD001 f.yaml:2:1 while scanning for the next token: found character that cannot start any token [YAML is indented with spaces]"},
		{"indentation", "a:\n  b: 1\n c: 2\n", "TD001 f.yaml:3:2 while parsing a block mapping: did not find expected key"},
		{"unknown alias", "a: *x\n", "TD001 f.yaml:1:4 unknown anchor 'x' referenced"},
		{"control character", "a: \x01\n", "TD001 f.yaml:1:4 the character U+0001 is not allowed in YAML"},
		{"not UTF-8", "a: b\nc: \xff\n", "TD001 f.yaml:2:4 the file is not UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "TD001 f.yaml:1:1 the file is not UTF-8 [it looks like UTF-16; write it in UTF-8]"},
		{"anchor", "a: &x 1\n", "TD001 f.yaml:1:4 anchors are not allowed"},
		{"tag", "a: !!str 1\n", "TD001 f.yaml:1:4 tags are not allowed"},
		{"merge key", "a: {<<: {b: 1}}\n", "TD001 f.yaml:1:5 a key must be a string"},
		{"key of another type", "1.5: a\n", "TD001 f.yaml:1:1 a key must be a string"},
		{"boolean as key", "true: a\n", "TD001 f.yaml:1:1 a key must be a string"},
		{"signed key", "-1: a\n", "TD001 f.yaml:1:1 a key must be a string"},
		{"octal key", "007: a\n", "TD001 f.yaml:1:1 a key must be a string"},
		{"number twice", "1: a\n\"1\": b\n", `TD003 f.yaml:2:1 duplicate key "1", first on line 1`},
		{"mapping as key", "{a: b}: c\n", "TD001 f.yaml:1:1 a key must be a string"},
		{"duplicate", "a: 1\nb: 2\n\"a\": 3\n", `TD003 f.yaml:3:1 duplicate key "a", first on line 1`},
		{"depth", strings.Repeat("[", 70) + strings.Repeat("]", 70), "TD001 f.yaml:1:65 values are nested too deeply"},
		{"size", strings.Repeat("#", MaxBytes+1), "TD001 f.yaml:1:1 the file has more than 1048576 bytes"},
		{"second document", "a: 1\n---\n]\n", "TD001 f.yaml:3:1 while parsing a block node: did not find expected node content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, docs := Read("f.yaml", []byte(tt.src), codes)
			if diff := cmp.Diff([]string{tt.want}, lines(f.Findings())); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if wantDoc := tt.name == "duplicate" || tt.name == "number twice" || tt.name == "second document"; wantDoc != (len(docs) > 0) {
				t.Errorf("%d documents", len(docs))
			}
		})
	}
}

// A bomb of aliases is refused at the first anchor and never expanded.
func TestAliasBomb(t *testing.T) {
	src := "a: &a [x,x]\n"
	for c := 'b'; c <= 'z'; c++ {
		src += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1)
	}
	f, docs := Read("f.yaml", []byte(src), codes)
	if len(docs) != 0 || f.Findings()[0].Message != "anchors are not allowed" {
		t.Errorf("%d documents, findings %v", len(docs), lines(f.Findings()))
	}
}

// TestManyFaults checks that a file with any number of faults is read in linear
// time, and that its first faults are listed.
func TestManyFaults(t *testing.T) {
	src := "{" + strings.Repeat("a: 1, ", MaxBytes/6-1) + "}"
	f, docs := Read("f.yaml", []byte(src), codes)
	docs[0].Map("b")
	got := f.Findings()
	if len(got) != maxFindings+1 || got[0].Span.Column != 8 || !strings.HasSuffix(got[maxFindings].Message, "more faults of this file are not listed") {
		t.Errorf("%d findings, from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

func TestValues(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"number for a string", "text: 5", `TD004 f.yaml:1:7 text: expected a string, got 5 [put it in quotes]`},
		{"bool for a string", "text: true", `TD004 f.yaml:1:7 text: expected a string, got true [put it in quotes]`},
		{"null for a string", "text:", `TD004 f.yaml:1:6 text: expected a string, got an empty value`},
		{"list for a string", "text: []", `TD004 f.yaml:1:7 text: expected a string, got a list`},
		{"string for a bool", "bool: yes", `TD004 f.yaml:1:7 bool: expected true or false, got the string "yes" [write true or false, without quotes]`},
		{"string for a number", "number: '5'", `TD004 f.yaml:1:9 number: expected a number, got the string "5" [write it without quotes]`},
		{"odd number", "number: 0x1F", `TD004 f.yaml:1:9 number: expected a number, got a number that is not JSON: 0x1F`},
		{"odd number in JSON", "json: {a: [.inf]}", `TD006 f.yaml:1:12 json.a[0]: .inf is not a JSON number`},
		{"mapping for a list", "texts: {}", `TD004 f.yaml:1:8 texts: expected a list, got a mapping`},
		{"item", "texts:\n- a\n- 1", `TD004 f.yaml:3:3 texts[1]: expected a string, got 1 [put it in quotes]`},
		{"empty item", "texts: ['']", `TD006 f.yaml:1:9 texts[0]: must not be empty`},
		{"unknown key", "txet: a", `TD002 f.yaml:1:1 txet: unknown key [did you mean text?]`},
		{"unlike key", "colour: a", `TD002 f.yaml:1:1 colour: unknown key [known keys are text, bool, number, texts, json]`},
		{"not a mapping", "[a]", `TD004 f.yaml:1:1 expected a mapping, got a list`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, docs := Read("f.yaml", []byte(tt.src), codes)
			m, _ := docs[0].Map("text", "bool", "number", "texts", "json")
			read := []bool{}
			_, ok := m.Get("text").Text()
			read = append(read, ok)
			_, ok = m.Get("bool").Bool()
			read = append(read, ok)
			_, ok = m.Get("number").Number()
			read = append(read, ok)
			_, ok = m.Get("texts").Texts()
			read = append(read, ok)
			_, ok = m.Get("json").JSON()
			read = append(read, ok)
			if diff := cmp.Diff([]string{tt.want}, lines(f.Findings())); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for i, ok := range read {
				if ok {
					t.Errorf("value %d was read", i)
				}
			}
		})
	}
}

func TestJSON(t *testing.T) {
	src := "z: 1.50\na: [true, False, ~, null, '', \"é\\n\", 12345678901234567890123, 1e3, 2001-01-01, yes, {}, []]\n"
	want := `{"z":1.50,"a":[true,false,null,null,"","é\n",12345678901234567890123,1e3,"2001-01-01","yes",{},[]]}`
	f, docs := Read("f.yaml", []byte(src), codes)
	got, ok := docs[0].JSON()
	if string(got) != want || !ok || f.Findings() != nil {
		t.Errorf("got %s, %v, %v\nwant %s", got, ok, f.Findings(), want)
	}
}

func TestNeed(t *testing.T) {
	f, docs := Read("f.yaml", []byte("# file\na: 1\n---\n"), codes)
	m, _ := docs[0].Map()
	m.Required("name")
	want := []string{`TD005 f.yaml:2:1 missing key "name"`}
	if diff := cmp.Diff(want, lines(f.Findings())); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if len(docs) != 2 {
		t.Errorf("%d documents, want 2", len(docs))
	}
}

// TestAt checks that the position of a byte in a string is exact with every
// kind of quotes.
func TestAt(t *testing.T) {
	tests := []struct{ name, src, before string }{
		{"plain", `key: ab X`, "ab "},
		{"double", `key: "ab X"`, "ab "},
		{"single", `key: 'it''s X'`, "it's "},
		{"escapes", `key: "\"é\t\u00e9\x41\N\L X"`, "\"é\té" + "A\u0085\u2028 "},
		{"not ASCII", `ключ: "é X"`, "é "},
		{"byte order mark", "\ufeffkey: \"é X\"", "é "},
		{"flow", `{key: [ 'a X' ]}`, "a "},
		{"later line", "# é\r\n\r\nkey: 'é X'\r\n", "é "},
		{"next line", "# a\u0085# b\nkey: 'é X'\n", "é "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, docs := Read("f.yaml", []byte(tt.src), codes)
			m, _ := docs[0].Map()
			v := m.Get(m.Keys()[0])
			if items := v.IsList(); items {
				list, _ := v.List()
				v = list[0]
			}
			if i := strings.IndexByte(tt.src, 'X'); i >= 0 {
				if got := v.At(len(tt.before)).Start; got != i {
					t.Errorf("offset %d, want %d", got, i)
				}
			}
		})
	}
	_, docs := Read("f.yaml", []byte("a: >\n  one\n  two\nb: \"x\n  y\"\n"), codes)
	m, _ := docs[0].Map()
	if got := m.Get("a").At(4); got.Line != 1 || got.Column != 4 {
		t.Errorf("in a folded string: %d:%d, want where it begins", got.Line, got.Column)
	}
	if got := m.Get("b").At(2); got.Line != 4 || got.Column != 4 {
		t.Errorf("in a string over two lines: %d:%d, want where it begins", got.Line, got.Column)
	}
}

// FuzzRead checks that no text causes a panic, that every finding has a
// position, and that a document read without a finding is JSON.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"a: 1\nb: [x, \"y\\u00e9\", 'it''s']\n", "a: &x 1\nb: *x\n", "? {a: b}\n: c\n", "a: |\n  x\n---\n- 1\n", "a: 0x1F\n<<: {}\n",
		"\ufeffa: b", "a: \"\\", "{", "- - - -", "a: !<x> b", "%YAML 1.1\n---\na", "a: \u0085b\u2028c", "a: b\rc: d",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, docs := Read("f.yaml", src, codes)
		for _, d := range docs {
			out, ok := d.JSON()
			if !ok && len(file.Findings()) == 0 {
				t.Fatal("a value was not read, and nothing was found")
			}
			if !jsontext.Value(out).IsValid() {
				t.Fatalf("no JSON: %s", out)
			}
		}
		for _, finding := range file.Findings() {
			s := finding.Span
			if s.Line < 1 || s.Column < 1 || s.Start < 0 || s.End < s.Start || s.End > len(src) || finding.File != "f.yaml" {
				t.Fatalf("finding without a place: %+v", finding)
			}
		}
	})
}
