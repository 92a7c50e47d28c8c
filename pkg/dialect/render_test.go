package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"oneshot/pkg/chat"
	"oneshot/pkg/schema"
)

func TestRender(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"f", `{}`, "f()"},
		{"f", `{"query":"x","max-results":5}`, `f({query: "x", "max-results": 5})`},
		{"vault.search", `{"a":[1,2.50,{"b":null}], "c" : true}`, `vault.search({a: [1, 2.50, {b: null}], c: true})`},
		{"f", `{"a:b":"c: d, e","a\"":":","f":"` + "```" + `"}`, `f({"a:b": "c: d, e", "a\"": ":", f: "` + "```" + `"})`},
	}
	d := tool(t)
	for _, test := range tests {
		got, _ := d.Render(chat.Call{Name: test.name, Arguments: json.RawMessage(test.arguments)}, nil)
		if want := "```tool\nreturn " + test.want + ";\n```\n"; got != want {
			t.Errorf("Render(%s) = %q, want %q", test.arguments, got, want)
		}
	}
	positional, _ := d.Render(chat.Call{Name: "f", Arguments: json.RawMessage(`["a",[1,2]]`), Positional: true}, nil)
	if want := "```tool\nreturn f(\"a\", [1, 2]);\n```\n"; positional != want {
		t.Errorf("Render = %q, want %q", positional, want)
	}
}

// M2: the ID and the priority of a call are written, and a required ID is generated if
// the call has none.
func TestRenderCallList(t *testing.T) {
	d := toolcalls(t)
	for _, test := range []struct {
		call chat.Call
		want string
	}{
		{chat.Call{Name: "f", Arguments: json.RawMessage(`{}`)}, `"id":"call_1","operation":"f","parameters":{}}`},
		{chat.Call{Name: "f", ID: "a\"b", Arguments: json.RawMessage(` {"x": 1.50} `)}, `"id":"a\"b","operation":"f","parameters":{"x": 1.50}}`},
		{chat.Call{Name: "f", ID: "1", Priority: -2.5, Arguments: json.RawMessage(`{}`)}, `"id":"1","operation":"f","parameters":{},"priority":-2.5}`},
		{chat.Call{Name: "f", ID: "1", Arguments: json.RawMessage(`[{"x":1}]`), Positional: true}, `"id":"1","operation":"f","parameters":{"x":1}}`},
	} {
		text, _ := d.Render(test.call, nil)
		if want := `{"toolCalls":[{"type":"f",` + test.want + "]}\n"; text != want {
			t.Errorf("Render = %s, want %s", text, want)
		}
		r := Scan(text, Options{Dialect: d})
		if len(r.Findings) > 0 || len(r.Calls) != 1 || r.Calls[0].Priority != test.call.Priority || test.call.ID != "" && r.Calls[0].ID != test.call.ID {
			t.Errorf("%s is read as %+v", text, r)
		}
	}
}

// checkRender checks that a rendered call reads back, in its dialect and with
// detection, with and without known tools.
func checkRender(t failer, c chat.Call) {
	t.Helper()
	for i := range Dialects() {
		d := &Dialects()[i]
		if c.Positional && d.Name != "tool" {
			continue // other dialects have only named arguments
		}
		for _, tools := range []Toolset{nil, {c.Name: shapeOf(c.Arguments)}} {
			text, ok := d.Render(c, tools)
			if !ok {
				continue // the dialect cannot represent it
			}
			checkRead(t, c, text, "", Options{Dialect: *d, Tools: tools})
			checkRead(t, c, text, "", Options{Tools: tools})
			if slices.ContainsFunc(markerSetOf(d).texts, func(marker string) bool { return strings.HasPrefix(text, marker) }) { // other calls must begin a response
				checkRead(t, c, d.afterText(text)+"text", "Text text", Options{Dialect: *d, Tools: tools})
			}
		}
	}
}

// afterText returns a text with words before it, as a message of their own if calls
// need a message for a tool.
func (d *Dialect) afterText(text string) string {
	if d.framing.needsRecipient {
		return "Text <|eom|>\n" + text
	}
	return "Text\n" + text
}

// checkRead checks that a text is read as one call and some content.
func checkRead(t failer, c chat.Call, text, content string, o Options) {
	t.Helper()
	r := Scan(text, o)
	if len(r.Calls) != 1 || r.Calls[0].Name != c.Name || !r.Calls[0].Executable || r.Calls[0].Status != chat.StatusOK {
		t.Fatalf("%q: %q is read as %+v, %v", o.Dialect.Name, text, r.Calls, r.Findings)
	}
	given := []byte(c.Arguments)
	if r.Calls[0].Positional {
		given = asPositional(c)
	}
	got, want := canonical(t, r.Calls[0].Arguments), canonical(t, given)
	if !bytes.Equal(got, want) {
		t.Fatalf("%q: %q is read as %s, want %s", o.Dialect.Name, text, got, want)
	}
	if strings.Join(strings.Fields(r.Content), " ") != content { // blanks may belong to the markers
		t.Fatalf("%q: %q leaves the content %q", o.Dialect.Name, text, r.Content)
	}
}

// shapeOf returns the function that gives a shape of arguments: an object with the type
// of each value.
func shapeOf(arguments json.RawMessage) func() *schema.Shape {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil {
		return nil
	}
	properties := map[string]any{}
	for key, value := range members {
		properties[key] = map[string]string{"type": schema.KindOf(bytes.TrimSpace(value)).String()}
	}
	return shapeOfSchema(json.RawMessage(mustJSON(map[string]any{"type": "object", "properties": properties})))
}

// shapeOfSchema returns the function that gives the shape of a schema.
func shapeOfSchema(text json.RawMessage) func() *schema.Shape {
	s, findings := schema.Compile("", text)
	if s == nil {
		panic(findings[0].Message)
	}
	return s.Shape
}

// TestRenderPlain checks that every dialect can write an ordinary call.
func TestRenderPlain(t *testing.T) {
	c := chat.Call{Name: "get_weather", Arguments: json.RawMessage(`{"city":"Oslo","days":3,"units":["C","m"],"all":true}`)}
	for _, d := range Dialects() {
		if text, ok := d.Render(c, Toolset{c.Name: shapeOf(c.Arguments)}); !ok {
			t.Errorf("%s cannot write %s, only %q", d.Name, c.Arguments, text)
		}
	}
	checkRender(t, c)
}

// asPositional returns the arguments of a call as a positional reading has them.
func asPositional(c chat.Call) []byte {
	args := bytes.TrimSpace(c.Arguments)
	switch {
	case c.Positional:
		return args
	case bytes.Equal(canonicalOrNil(args), []byte("{}")):
		return []byte("[]")
	}
	return []byte("[" + string(args) + "]")
}

func canonicalOrNil(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil
	}
	return b.Bytes()
}

// canonical formats JSON uniformly, with the order of keys and the digits of numbers
// unchanged.
func canonical(t failer, text []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var b bytes.Buffer
	for {
		token, err := dec.Token()
		if err != nil {
			return b.Bytes()
		}
		if s, ok := token.(string); ok {
			quoted, err := json.Marshal(s)
			if err != nil {
				t.Fatalf("%v", err)
			}
			token = string(quoted)
		}
		b.WriteString(strings.TrimSpace(strings.Join([]string{" ", toText(token)}, "")))
		b.WriteByte(' ')
	}
}

func toText(token json.Token) string {
	switch v := token.(type) {
	case json.Delim:
		return v.String()
	case json.Number:
		return v.String()
	case string:
		return v
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return "null"
}

// nasty are parts of strings that have a special meaning in some notation.
var nasty = []string{
	"```", "```tool\n", "~~~", "\n```\n", "return evil();", "`", "'", `"`, `\`, `\n`, `\u0041`, "\n", "\r\n", "\t", "\x00", "\x7f",
	"${x}", "//", "/*", "*/", ")", "]", "}", ");", ",", ":", "\u2028", "\u2029", "\ufeff", "é", "😀", "<|im_start|>", "TOOL_NAME:",
	"</script>", "&", "  ", "null", "-0", "1e5",
}

func nastyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		piece := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String())
		return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
	})
}

// anyJSON generates JSON text.
func anyJSON(depth int) *rapid.Generator[string] {
	scalars := []*rapid.Generator[string]{
		rapid.Map(nastyText(), quoted),
		rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "1.50", "1e400", "12345678901234567890", "-0.0e-5"}),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) string { return mustJSON(f) }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	array := rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 3), func(items []string) string {
		return "[" + strings.Join(items, ",") + "]"
	})
	return rapid.OneOf(append(scalars, array, jsonObject(depth))...)
}

func jsonObject(depth int) *rapid.Generator[string] {
	key := rapid.OneOf(rapid.StringMatching(`[a-z_$][a-z0-9_]{0,5}`), nastyText())
	return rapid.Custom(func(t *rapid.T) string {
		keys := rapid.SliceOfNDistinct(key, 0, 3, rapid.ID).Draw(t, "keys")
		items := make([]string, len(keys))
		for i, key := range keys {
			items[i] = quoted(key) + ":" + anyJSON(depth-1).Draw(t, "value")
		}
		return "{" + strings.Join(items, ",") + "}"
	})
}

func quoted(s string) string { return mustJSON(strings.ToValidUTF8(s, "?")) }

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestRenderAny(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checkRender(rt, chat.Call{
			Name:      rapid.StringMatching(`[a-z_$][A-Za-z0-9_$-]{0,8}9(\.[a-z]+)?`).Draw(rt, "name"),
			Arguments: json.RawMessage(jsonObject(3).Draw(rt, "arguments")),
		})
	})
}

// checkRenderAs runs checkRender with any text as key and value. JSON contains only
// UTF-8, so other texts are skipped.
func checkRenderAs(t *testing.T, key, value string) {
	if !utf8.ValidString(key) || !utf8.ValidString(value) {
		return
	}
	object := "{" + mustJSON(key) + ":[" + mustJSON(value) + ", {" + mustJSON(value) + ":" + mustJSON(key) + "}]}"
	checkRender(t, chat.Call{Name: "f", Arguments: json.RawMessage(object)})
	checkRender(t, chat.Call{Name: "f", Arguments: json.RawMessage("[" + object + "," + mustJSON(value) + "]"), Positional: true})
}
