package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// doubling is a schema of n definitions, each of which names the next one twice.
func doubling(n int, keyword, last string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{%q:[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":%s}}`, n, last)
	return b.String()
}

// M7: a schema that makes the check of a document too expensive is refused.
func TestSchemaBombs(t *testing.T) {
	var refs, plain strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&refs, `"b%d":{"$ref":"#/x/b%d"},`, i, i)
		fmt.Fprintf(&plain, `"b%d":{"title":"b"},`, i)
	}
	many := func(s string) string { return strings.TrimSuffix(s, ",") }
	for name, tt := range map[string]struct{ schema, want string }{
		"anyOf":        {doubling(40, "anyOf", `{"type":"integer"}`), "/$defs/a27: applies more than 16384 subschemas to one value: its alternatives and references multiply"},
		"allOf":        {doubling(40, "allOf", `{"type":"integer"}`), "/$defs/a27: applies more than 16384 subschemas"},
		"under not":    {`{"not":` + doubling(40, "oneOf", `{}`) + `}`, "does not resolve"},
		"itself":       {`{"$ref":"#"}`, "document: refers to itself without descending into the value"},
		"two of them":  {`{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}}`, "refers to itself"},
		"chain":        {chain(300), "chains more than 256 references for one value"},
		"outside refs": {`{"properties":{` + many(refs.String()) + `},"x":{` + many(plain.String()) + `}}`, "3000 references point outside of schema positions"},
		"parts":        {`{"anyOf":[` + strings.TrimSuffix(strings.Repeat("true,", 9000), ",") + `]}`, "at most 8192 subschemas"},
		"pattern":      {`{"pattern":"(?:` + strings.Repeat("[a-c]?", 400) + `){800}"}`, "/pattern: is too large a pattern: its repetitions unroll to more than 8192 instructions"},
		"patterns":     {patternsOf(12), "all patterns together unroll to more than 65536 instructions"},
		"names":        {`{"patternProperties":{"^(?:abcdefghij){999}$":{}}}`, "is too large a pattern"},
	} {
		t.Run(name, func(t *testing.T) {
			s, findings := Compile("s.json", []byte(tt.schema))
			if s != nil || len(findings) == 0 || !strings.Contains(findings[0].Message, tt.want) {
				t.Errorf("schema %v, findings %.300v; want %q", s != nil, lines(findings), tt.want)
			}
		})
	}
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{}}}`, n)
	return b.String()
}

func patternsOf(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"p%d":{"pattern":"^(?:abcdefgh){%d}$"}`, i, 700+i)
	}
	return `{"properties":{` + b.String()[1:] + `}}`
}

// nested returns a value inside n objects or lists.
func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// M7: a check whose cost multiplies with the document is stopped, too.
func TestCheckBombs(t *testing.T) {
	const twice = `{"type":"object","anyOf":[{"properties":{"x":{"$ref":"#"}},"title":"a"},{"properties":{"x":{"$ref":"#"}},"title":"b"}]}`
	var enum, items, members strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&members, `,"%d":0`, i)
		fmt.Fprintf(&enum, ",%d.5", i)
		fmt.Fprintf(&items, ",%d", i)
	}
	for name, tt := range map[string]struct{ schema, doc, want string }{
		"alternatives of members": {twice, nested(60, `{"x":`, "1", "}"), "cannot be checked: the alternatives and references of the schema multiply too often"},
		"where only yes or no counts": {`{"not":{"$ref":"#/$defs/a"},"$defs":{"a":` + strings.ReplaceAll(twice, `"#"`, `"#/$defs/a"`) + `}}`,
			nested(60, `{"x":`, "1", "}"), "cannot be checked"},
		"dynamic": {`{"$dynamicAnchor":"n","anyOf":[{"items":{"$dynamicRef":"#n"},"minItems":2},{"items":{"$dynamicRef":"#n"},"minItems":3}]}`,
			nested(60, "[", "1", "]"), "cannot be checked"},
		"many members":       {doubling(12, "anyOf", `{"type":"integer"}`), "{" + members.String()[1:] + "}", "cannot be checked"},
		"lists of numbers":   {`{"items":{"enum":[` + enum.String()[1:] + `]}}`, "[" + items.String()[1:] + "]", "cannot be checked"},
		"too many to list":   {doubling(12, "anyOf", `{"items":{"type":"string"},"minItems":9}`), "[1,2]", ""},
		"pattern and length": {`{"items":{"pattern":"^(?:a?){1000}b$"}}`, `["` + strings.Repeat(`aaaaaaaaaaaaaaaaaa","`, 20_000) + `"]`, "cannot be checked"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(compiled(t, tt.schema).Check([]byte(tt.doc)))
			if len(got) == 0 || !strings.Contains(got[0], tt.want) {
				t.Errorf("got %.300v, want %q", got, tt.want)
			}
		})
	}
}

// TestLargeChecks checks that large schemas and documents are checked completely
// if they are not bombs.
func TestLargeChecks(t *testing.T) {
	tree := `{"anyOf":[{"type":"number"},{"type":"object","properties":{"op":{"const":"+"},"l":{"$ref":"#"},"r":{"$ref":"#"}},"required":["op","l","r"]}]}`
	var countries, rows strings.Builder
	for i := range 250 {
		fmt.Fprintf(&countries, `,"C%d"`, i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&rows, `,{"id":%d,"kind":"k%d","country":"C%d"}`, i, i%40, i%250)
	}
	var union strings.Builder
	for i := range 40 {
		fmt.Fprintf(&union, `,{"properties":{"kind":{"const":"k%d"},"country":{"enum":[%s]}},"required":["kind"]}`, i, countries.String()[1:])
	}
	for name, tt := range map[string]struct{ schema, doc string }{
		"a tree":        {tree, nested(60, `{"op":"+","r":1,"l":`, "1", "}")},
		"a union":       {`{"uniqueItems":true,"items":{"oneOf":[` + union.String()[1:] + `]}}`, "[" + rows.String()[1:] + "]"},
		"dynamic lists": {`{"$ref":"#/$defs/list","$defs":{"list":{"items":{"$dynamicRef":"#t"},"$defs":{"t":{"$dynamicAnchor":"t"}}}}}`, "[" + rows.String()[1:] + "]"},
		"a meta-schema": {`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"properties":{"a":` + doubling(100, "anyOf", "{}") + `}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lines(compiled(t, tt.schema).Check([]byte(tt.doc))); got != nil {
				t.Errorf("got %.300v", got)
			}
		})
	}
}

// M7: a short number with a large exponent has a short key.
func TestUniqueItemsMemory(t *testing.T) {
	if key := appendCanonical(nil, json.Number("1e1000")); len(key) > 8 {
		t.Errorf("the key has %d bytes", len(key))
	}
}

// M7: the items of a list are compared in linear time, even items with equal
// hashes in the validator.
func TestDistinct(t *testing.T) {
	unique := compiled(t, `{"uniqueItems":true}`)
	for doc, ok := range map[string]bool{
		`[1,1.0]`: false, `[1,"1"]`: true, `[{"a":1,"b":[2]},{"b":[2.0],"a":1}]`: false, `[[1],[[1]]]`: true, `[null,false,0,""]`: true,
		`["a,","a"]`: true, `[{"a":"b\",\"c\":\"d"},{"a":"b","c":"d"}]`: true, `[1e2,100]`: false, `[0,-0.0e5]`: false, `[0.10,1e-1]`: false,
		`[120,1.2e2]`: false, `[-1,1]`: true, `[1e999,1e998]`: true, `[10e999,1e1000]`: false, `[12,120]`: true,
	} {
		if got := unique.Check([]byte(doc)); (got == nil) != ok {
			t.Errorf("%s: %v", doc, lines(got))
		}
	}
	var items []any
	for i := range 1 << 14 { // all items have the same hash: the bits of i decide where the strings end
		item := []string{"x"}
		for bit := range 14 {
			if i>>bit&1 == 0 {
				item = append(item, "a")
			} else {
				item[len(item)-1] += "\x04a"
			}
		}
		items = append(items, item)
	}
	doc, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	if got := unique.Check(doc); got != nil {
		t.Error(lines(got))
	}
}
