package jsonrepair

import (
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/literal"
)

const (
	ok        = chat.StatusOK
	mended    = chat.StatusRepaired
	ambiguous = chat.StatusAmbiguous
	truncated = chat.StatusTruncated
	invalid   = chat.StatusInvalid
)

// cases are texts with their expected values and statuses. Blanks between
// tokens are not compared.
var cases = []struct {
	text   string
	value  string
	status chat.Status
}{
	// Strict JSON, which is unchanged.
	{` {"port": 8080, "ratio": 1.50e-3} `, ` {"port": 8080, "ratio": 1.50e-3} `, ok},
	{`[0.10, -0, 12345678901234567890]`, `[0.10, -0, 12345678901234567890]`, ok},
	{`"{name: 'Ada'}"`, `"{name: 'Ada'}"`, ok},
	{`{"id": 7, "id": 8}`, `{"id": 7, "id": 8}`, ambiguous},

	// Syntax of JavaScript and Python that JSON does not have.
	{`{host: 'db', port: 5432, tags: ["a", "b",],}`, `{"host": "db", "port": 5432, "tags": ["a", "b"]}`, mended},
	{`{'user': None, 'admin': False, 'name': 'O"Hara'}`, `{"user": null, "admin": false, "name": "O\"Hara"}`, mended},
	{"// settings\n{\"dark\": true /* or not */}", `{"dark": true}`, mended},
	{`{"mask": 0xFF, "gain": +2, "loss": -.5, "big": 1_000_000, "id": 42n, "end": 3.}`,
		`{"mask": 255, "gain": 2, "loss": -0.5, "big": 1000000, "id": 42, "end": 3.0}`, mended},
	{"[7, -\n ", `[7, -0]`, truncated},
	{"[7, -", `[7, -0]`, truncated},
	{"[7, - ]", `[7, -0]`, ambiguous},
	{"{\"n\": - ", `{"n": -0}`, truncated},
	{"[" + strings.Repeat("7", 100) + ",]", "[" + strings.Repeat("7", 100) + "]", mended},
	{`{"zip": 01234}`, `{"zip": "01234"}`, ambiguous},
	{`{"ratio": NaN, "max": -Infinity, "next": undefined}`, `{"ratio": null, "max": null, "next": null}`, ambiguous},
	{"{`city`: `Turin`}", `{"city": "Turin"}`, mended},
	{`{“city”: “Turin”, ‘zip’: ‘10121’}`, `{"city": "Turin", "zip": "10121"}`, mended},
	{"\ufeff{\"city\":\u00a0\"Turin\"}", `{"city": "Turin"}`, mended},
	{`{"city"： "Turin"， "zip"： 1}`, `{"city": "Turin", "zip": 1}`, ambiguous},
	{`{"pair": (1, 2), "one": (3), "none": ()}`, `{"pair": [1, 2], "one": 3, "none": []}`, ambiguous},
	{`{"a": new Date(), "b": Foo("x", 1), "c": [x.y.z(2)]}`, `{"a": "new Date()", "b": "Foo(\"x\", 1)", "c": ["x.y.z(2)"]}`, ambiguous},
	{`done({"ok": true});`, `{"ok": true}`, ambiguous},
	{`const config = {debug: true};`, `{"debug": true}`, ambiguous},
	{`{"match": /^a"\d+\/$/i}`, `{"match": "/^a\"\\d+\\/$/i"}`, ambiguous},
	{`{"n": function() { return 1 }, "m": 2}`, `{"n": "function() { return 1 }", "m": 2}`, ambiguous},
	{`{"sql": "select 1" + " from t"}`, `{"sql": "select 1 from t"}`, ambiguous},
	{"{\"text\": \"\"\"two \"lines\"\nhere\"\"\"}", `{"text": "two \"lines\"\nhere"}`, ambiguous},
	{"{\"code\": ```go\nfmt.Println(\"hi\")\n```, \"n\": 1}", `{"code": "fmt.Println(\"hi\")", "n": 1}`, ambiguous},
	{`{"tag": 'a\x1bb\x22c\x2d\U0001F431', "odd": "\u12", "next": "a\
b"}`, `{"tag": "a\u001bb\"c-🐱", "odd": "\\u12", "next": "a\nb"}`, ambiguous},
	{`{"a": 1 # note }`, `{"a": 1 }`, mended},
	{`{"n": 0x, "m": 1__0, "o": 0b12, "p": -, "q": +x, "r": n}`, `{"n": "0x", "m": "1__0", "o": "0b12", "p": -0, "q": "+x", "r": "n"}`, ambiguous},
	{`[(1, 2,), (3,), ((4))]`, `[[1, 2], [3], 4]`, ambiguous},

	// Quotes that are missing or not escaped.
	{`{city: New York, note: see http://a.b/c}`, `{"city": "New York", "note": "see http://a.b/c"}`, ambiguous},
	{`{"rate": 15%, "since": 2024-03-01, "version": 1.2.3, "colour": #fff}`,
		`{"rate": "15%", "since": "2024-03-01", "version": "1.2.3", "colour": "#fff"}`, ambiguous},
	{`{"note": red, green and blue, "n": 1}`, `{"note": "red, green and blue", "n": 1}`, ambiguous},
	{"{\"note\": a text\n  of two lines,\n \"n\": 1}", `{"note": "a text\n  of two lines", "n": 1}`, ambiguous},
	{`{"said": "She said "yes", and left", "n": 1}`, `{"said": "She said \"yes\", and left", "n": 1}`, ambiguous},
	{`{"run": "echo "a, b" > "c.txt"", "n": 1}`, `{"run": "echo \"a, b\" > \"c.txt\"", "n": 1}`, ambiguous},
	{`{"html": "<p class="x">hi</p>", "n": 1}`, `{"html": "<p class=\"x\">hi</p>", "n": 1}`, ambiguous},
	{`{"body": "{"deep": [1, {"x": "y"}]}", "n": 1}`, `{"body": "{\"deep\": [1, {\"x\": \"y\"}]}", "n": 1}`, ambiguous},
	{`{'text': 'It's a 'nice' day', 'n': 1}`, `{"text": "It's a 'nice' day", "n": 1}`, ambiguous},
	{`["a 27" screen", "b"]`, `["a 27", "screen", "b"]`, ambiguous},
	{`["say "hi" to him", "b"]`, `["say \"hi\" to him", "b"]`, ambiguous},
	{`{"first": "Ada, "last": "King"}`, `{"first": "Ada", "last": "King"}`, ambiguous},
	{"{\"first\": \"Ada\n \"last\": \"King\"}", `{"first": "Ada", "last": "King"}`, ambiguous},
	{`{"first": "Ada', "last": "King"}`, `{"first": "Ada", "last": "King"}`, ambiguous},
	{`{first": "Ada", last: King"}`, `{"first": "Ada", "last": "King"}`, ambiguous},
	{`{"first: "Ada"}`, `{"first": "Ada"}`, ambiguous},
	{`["one, "two", three"]`, `["one", "two", "three"]`, ambiguous},
	{`{""name"": ""Ada"", ""n"": 1}`, `{"name": "Ada", "n": 1}`, ambiguous},
	{`{"first": "Ada, "born": 1815, last: "King, n: 1}`, `{"first": "Ada", "born": 1815, "last": "King", "n": 1}`, ambiguous},
	{"{\"list\": [\n \"one,\n \"two\n]}", `{"list": ["one", "two"]}`, ambiguous},
	{`{"list": ["one, two]}`, `{"list": ["one", "two"]}`, ambiguous},
	{`{"name": "Ada", and more", "n": 1}`, `{"name": "Ada\", and more", "n": 1}`, ambiguous},
	{`{"re": "^['"]([^'"]+)$", "n": 1}`, `{"re": "^['\"]([^'\"]+)$", "n": 1}`, ambiguous},
	{`{name "Ada", age "36"}`, `{"name": "Ada", "age": "36"}`, ambiguous},
	{`{"a": "x" /* c */ + "y", "n": 1}`, `{"a": "xy", "n": 1}`, ambiguous},
	{`{"dir": "C:\temp\", "n": 1}`, `{"dir": "C:\temp\\", "n": 1}`, ambiguous},

	// Characters in strings.
	{"{\"poem\": \"one\ntwo\t\x01\"}", `{"poem": "one\ntwo\t\u0001"}`, mended},
	{`{"re": "\d+\.\w", "hex": "\x41"}`, `{"re": "\\d+\\.\\w", "hex": "A"}`, ambiguous},
	{`{"half": "\ud83d!"}`, ``, invalid},
	{`{"whole": '\uD83D\uDE00'}`, `{"whole": "\uD83D\uDE00"}`, mended},
	{`{\"cat\": \"\\ud83d\\ude00\"}`, `{"cat": "\ud83d\ude00"}`, ambiguous},
	{"{\"raw\": \"a\xffb\"}", "{\"raw\": \"a\ufffdb\"}", ambiguous},
	{`{\"a\": \"x\\ny\", \"b\": [1]}`, `{"a": "x\ny", "b": [1]}`, ambiguous},
	{`{\n  \"a\": 1,\n  \"b\": 2\n}`, `{"a": 1, "b": 2}`, ambiguous},

	// Commas, colons and brackets.
	{`{"a": 1 "b": 2}`, `{"a": 1, "b": 2}`, ambiguous},
	{"{\"a\": 1\n\"b\": [1 2 \"x\" 'y']}", `{"a": 1, "b": [1, 2, "x", "y"]}`, ambiguous},
	{`[,1,,2,]`, `[1, 2]`, ambiguous},
	{`{"a" 1, "b" = 2, "c" => 3, "d": , "e"}`, `{"a": 1, "b": 2, "c": 3, "d": null, "e": null}`, ambiguous},
	{`{"a": [1, 2}, "b": 3}`, `{"a": [1, 2], "b": 3}`, ambiguous},
	{`{"a": [1, 2, "b": 3}`, `{"a": [1, 2], "b": 3}`, ambiguous},
	{`{"a": {"b": [1, 2}, "c": 3}`, `{"a": {"b": [1, 2]}, "c": 3}`, ambiguous},
	{`[[1, 2}, [3]]`, `[[1, 2], [3]]`, ambiguous},
	{`[{"a": 1, {"a": 2}]`, `[{"a": 1}, {"a": 2}]`, ambiguous},
	{`[{"a": 1}}, {"a": 2}]`, `[{"a": 1}, {"a": 2}]`, ambiguous},
	{`{"a": 1}, "b": 2}`, `{"a": 1, "b": 2}`, ambiguous},
	{`{{"a": 1}}`, `{"a": 1}`, ambiguous},
	{`{"a": [1], [2], "b": 3}`, `{"a": [1, 2], "b": 3}`, ambiguous},
	{`["a": 1, "b": 2]`, `[{"a": 1, "b": 2}]`, ambiguous},
	{`"a": 1, "b": 2`, `{"a": 1, "b": 2}`, truncated},
	{`{"a": [1, ...], ..., "b": 2}`, `{"a": [1], "b": 2}`, ambiguous},
	{`{"a": 1, LATER "b": 2 }`, `{"a": 1, "LATER": null, "b": 2}`, ambiguous},
	{`{"a": "x" oops, "b": 2}`, `{"a": "x", "b": 2}`, ambiguous},

	{`{"a": 1, ["b", "c"], "d": 2}`, `{"a": 1, "b": null, "c": null, "d": 2}`, ambiguous},
	{`["a": 1, 2]`, `[{"a": 1}, 2]`, ambiguous},
	{`[1: 2]`, `["1: 2"]`, ambiguous},

	// Text around the document.
	{"```json\n{\"a\": 1}\n```\nor\n```json\n{\"b\": 2}\n```\n", `{"a": 1}`, ambiguous},
	{"{```\n{\"a\": 1}\n```}", `{"a": 1}`, ambiguous},
	{"```json\n{\"a\": \"b\n```\nDone.", `{"a": "b"}`, truncated},
	{`(1, 2)`, `[1, 2]`, ambiguous},
	{`(1) The first is {"a": 1}`, `{"a": 1}`, ambiguous},
	{"Sure, here it is:\n```json\n{\"a\": 1}\n```\nAnything else?", `{"a": 1}`, ambiguous},
	{"```\n[1, 2]\n```", `[1, 2]`, mended},
	{"```json\n{\"a\": [1, 2\n```", `{"a": [1, 2]}`, truncated},
	{"The result is {\"a\": 1}, as in [3].", `{"a": 1}`, ambiguous},
	{"{\"a\": 1}\n{\"a\": 2}\n", `{"a": 1}`, ambiguous},
	{`{"a": 1};`, `{"a": 1}`, ambiguous},
	{"red\ngreen", `"red\ngreen"`, ambiguous},
	{`There is nothing here.`, `"There is nothing here."`, ambiguous},

	// Texts that end too early.
	{`{"a": [1, {"b": "c`, `{"a": [1, {"b": "c"}]}`, truncated},
	{`{"a": 1, "b": `, `{"a": 1, "b": null}`, truncated},
	{`{"a": 1, "b`, `{"a": 1, "b": null}`, truncated},
	{`{"a": 1, "`, `{"a": 1}`, truncated},
	{`["x", "`, `["x"]`, truncated},
	{`{"a": tru`, `{"a": true}`, truncated},
	{`{"a": "x\u00`, `{"a": "x"}`, truncated},
	{`{"a": 1.5e`, `{"a": 1.5e0}`, truncated},
	{`{"a": 1 /* and`, `{"a": 1}`, truncated},

	// Texts without a value.
	{``, ``, invalid},
	{" \n", ``, invalid},
	{`]}`, ``, invalid},
	{`,`, ``, invalid},
	{"// only a comment", ``, invalid},
}

func TestJSON(t *testing.T) {
	for _, c := range cases {
		r := JSON(c.text)
		if compact(r.Value) != compact(json.RawMessage(c.value)) || r.Status != c.status {
			t.Errorf("%s\n got %s (%s)\nwant %s (%s)", c.text, r.Value, r.Status, c.value, c.status)
		}
		laws(t, c.text)
	}
}

// compact returns a value without the blanks between its tokens.
func compact(text json.RawMessage) string {
	if text == nil {
		return ""
	}
	out := ""
	for i := 0; i < len(text); {
		if isBlank(text[i]) {
			i++
			continue
		}
		end := i + 1
		if text[i] == '"' {
			for end++; text[end-1] != '"'; end++ {
				if text[end-1] == '\\' {
					end++
				}
			}
		}
		out += string(text[i:end])
		i = end
	}
	return out
}

func TestDepth(t *testing.T) {
	if MaxDepth != literal.MaxDepth {
		t.Errorf("the depth limit is %d, that of literal %d", MaxDepth, literal.MaxDepth)
	}
	for _, open := range []string{"[", "(", `{"a":`, "[{a:", "(["} {
		text := prefixed("", open)(MaxDepth * len(open))
		deeper := JSON(text + text + open)
		if deeper.Status != invalid || deeper.Value != nil || deeper.Edits != nil {
			t.Errorf("%s many times is %s: %s", open, deeper.Status, deeper.Value)
		}
	}
	text := prefixed("", "[")(MaxDepth) + prefixed("", "]")(MaxDepth)
	if r := JSON(text); r.Status != ok {
		t.Errorf("%d brackets are %s", MaxDepth, r.Status)
	}
	if r := JSON("[" + text + "]"); r.Status != invalid {
		t.Errorf("%d brackets are %s", MaxDepth+1, r.Status)
	}
}
