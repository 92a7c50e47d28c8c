package mend

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A guide is what a JSON Schema says about a value. Of patterns only those of names
// are looked at, and no formats.
type guide struct {
	root any
}

// A node is one place of a schema.
type node struct {
	guide *guide
	rules map[string]any
}

// mostRefs bounds how many references lead from one place to another.
const mostRefs = 32

// newGuide reads a schema; nil if there is none.
func newGuide(schema json.RawMessage) (*guide, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	g := &guide{}
	if err := json.Unmarshal(schema, &g.root); err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	return g, g.check()
}

// check looks at every place of the schema once.
func (g *guide) check() error {
	open := []any{g.root}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		switch at := at.(type) {
		case []any:
			open = append(open, at...)
		case map[string]any:
			if err := g.checkRules(at); err != nil {
				return err
			}
			for key, value := range at {
				if key != "enum" && key != "const" && key != "default" && key != "examples" {
					open = append(open, value)
				}
			}
		}
	}
	return nil
}

func (g *guide) checkRules(rules map[string]any) error {
	if ref, ok := rules["$ref"]; ok {
		name, isString := ref.(string)
		_, isSchema := ref.(map[string]any) // a property with that name
		switch {
		case !isString && !isSchema:
			return fmt.Errorf("$ref is no string")
		case isString && g.resolve(rules) == nil:
			return fmt.Errorf("$ref %s leads nowhere", excerpt(name))
		}
	}
	name, ok := rules["type"].(string)
	if ok && !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, name) {
		return fmt.Errorf("there is no type %s", excerpt(name))
	}
	return nil
}

// resolve follows references; nil if they lead nowhere.
func (g *guide) resolve(rules map[string]any) map[string]any {
	for range mostRefs {
		ref, ok := rules["$ref"].(string)
		if !ok {
			return rules
		}
		var at any = g.root
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
			m, _ := at.(map[string]any)
			at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
		}
		if rules, ok = at.(map[string]any); !ok {
			return nil
		}
	}
	return nil
}

// node returns the place of a schema; nil if it says nothing.
func (g *guide) node(schema any) *node {
	rules, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	if rules = g.resolve(rules); rules == nil {
		return nil
	}
	return &node{g, rules}
}

// nodeOf returns what the schema says about the value at the place.
func (r *reader) nodeOf() *node {
	f := r.top()
	switch {
	case r.guide == nil:
		return nil
	case f == nil:
		return r.guide.node(r.guide.root).choose('{')
	case f.node == nil:
		return nil
	case f.object:
		return f.node.property(f.key.name)
	}
	return f.node.items()
}

// property returns what a schema of an object says about a member.
func (n *node) property(name string) *node {
	n = n.choose('{')
	if n == nil {
		return nil
	}
	if p, ok := n.properties()[name]; ok {
		return n.guide.node(p)
	}
	if p, ok := n.pattern(name); ok {
		return n.guide.node(p)
	}
	return n.guide.node(n.rules["additionalProperties"])
}

// pattern returns the one schema of the patterns that a name matches, nil if they
// have several, or one of them is not known to match.
func (n *node) pattern(name string) (schema any, ok bool) {
	patterns, _ := n.rules["patternProperties"].(map[string]any)
	for text, s := range patterns {
		matches, known := matchesPlain(text, name)
		switch {
		case !known, matches && ok && !reflect.DeepEqual(schema, s):
			return nil, true
		case matches:
			schema, ok = s, true
		}
	}
	return schema, ok
}

// matchesPlain reports whether a name matches a pattern that is a plain text, with
// ^ before and $ behind it or not. Others are not known.
func matchesPlain(pattern, name string) (matches, known bool) {
	plain, first := strings.CutPrefix(pattern, "^")
	plain, last := strings.CutSuffix(plain, "$")
	switch {
	case strings.ContainsAny(plain, `\^$.|?*+()[]{}`):
		return false, false
	case first && last:
		return name == plain, true
	case first:
		return strings.HasPrefix(name, plain), true
	case last:
		return strings.HasSuffix(name, plain), true
	}
	return strings.Contains(name, plain), true
}

func (n *node) properties() map[string]any {
	m, _ := n.rules["properties"].(map[string]any)
	return m
}

// items returns what a schema of an array says about an item.
func (n *node) items() *node {
	n = n.choose('[')
	if n == nil {
		return nil
	}
	return n.guide.node(n.rules["items"])
}

// choose returns the variant of a schema for a kind of value, which is told by
// its first byte. Without variants it is the schema itself.
func (n *node) choose(kind byte) *node {
	for range mostRefs {
		variants := n.variants()
		if variants == nil {
			return n
		}
		var found *node
		for _, v := range variants {
			if m := n.guide.node(v); m != nil && (found == nil || !found.allows(kind) && m.allows(kind)) {
				found = m
			}
		}
		n = found
	}
	return n
}

// variants returns the schemas of which a value has to fit one.
func (n *node) variants() []any {
	if n == nil {
		return nil
	}
	for _, key := range [...]string{"anyOf", "oneOf"} {
		if list, ok := n.rules[key].([]any); ok && len(list) > 0 {
			return list
		}
	}
	if list, ok := n.rules["allOf"].([]any); ok && len(list) == 1 {
		return list
	}
	return nil
}

// types returns the types that a schema allows; nil if it says nothing.
func (n *node) types() []string {
	switch t := n.rules["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var list []string
		for _, x := range t {
			if s, ok := x.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	switch {
	case n.rules["properties"] != nil || n.rules["required"] != nil:
		return []string{"object"}
	case n.rules["items"] != nil:
		return []string{"array"}
	}
	return nil
}

// allTypes returns the types that a schema allows in any of its variants.
func (n *node) allTypes() []string {
	list := n.types()
	for _, v := range n.variants() {
		if m := n.guide.node(v); m != nil {
			list = append(list, m.types()...)
		}
	}
	return list
}

// kinds are the first bytes of the values of a type.
var kinds = map[string]string{"object": "{", "array": "[", "string": `"`, "number": "-0123456789", "integer": "-0123456789", "boolean": "tf", "null": "n"}

// allows reports whether a schema allows a kind of value, told by its first byte.
func (n *node) allows(kind byte) bool {
	if n.variants() != nil {
		return true // they are asked when one is chosen
	}
	types := n.types()
	return types == nil || slices.ContainsFunc(types, func(t string) bool { return strings.IndexByte(kinds[t], kind) >= 0 })
}

// empty returns what stands for a value that is missing.
func (n *node) empty() string {
	n = n.choose('n')
	if n == nil || n.allows('n') {
		return "null"
	}
	return map[string]string{"object": "{}", "array": "[]", "string": `""`, "number": "0", "integer": "0", "boolean": "false"}[n.types()[0]]
}

// given returns the value that a schema itself gives to a member: its default, its
// constant, the first of its list, or nothing in an array or object.
func (n *node) given() (string, bool) {
	list, _ := n.rules["enum"].([]any)
	for _, key := range [...]string{"default", "const"} {
		if x, ok := n.rules[key]; ok {
			list = []any{x}
			break
		}
	}
	if len(list) > 0 {
		b, err := json.Marshal(list[0])
		return string(b), err == nil
	}
	if types := n.types(); len(types) == 1 && (types[0] == "array" || types[0] == "object") {
		return n.empty(), true
	}
	return "", false
}
