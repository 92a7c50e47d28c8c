package yamldoc

import (
	"cmp"
	"strings"

	"gopkg.in/yaml.v3"

	"oneshot/pkg/schema"
)

// A Map is a mapping. Of duplicate keys the first one counts.
type Map struct {
	mapping  Value
	keys     []string
	keyNodes map[string]*yaml.Node
	values   map[string]Value
}

// Map reads a mapping. If known keys are given, any other key is a finding.
func (v Value) Map(known ...string) (Map, bool) {
	m := Map{mapping: v, keyNodes: map[string]*yaml.Node{}, values: map[string]Value{}}
	if !v.expectKind(kindMapping) {
		return m, false
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		name := v.node.Content[i]
		if _, twice := m.keyNodes[name.Value]; twice {
			continue
		}
		m.keys = append(m.keys, name.Value)
		m.keyNodes[name.Value] = name
		m.values[name.Value] = Value{file: v.file, node: v.node.Content[i+1], path: joinPath(v.path, name.Value)}
	}
	if len(known) > 0 {
		m.reportUnknownKeys(known)
	}
	return m, true
}

func (m Map) reportUnknownKeys(known []string) {
	isKnown := make(map[string]bool, len(known))
	for _, k := range known {
		isKnown[k] = true
	}
	for _, key := range m.keys {
		if isKnown[key] {
			continue
		}
		f := m.Key(key).Add(m.mapping.file.codes.UnknownKey, "unknown key")
		f.Hint = cmp.Or(schema.DidYouMean(key, known), "known keys are "+strings.Join(known, ", "))
	}
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Keys returns the keys in order.
func (m Map) Keys() []string { return m.keys }

// Get returns the value of a key.
func (m Map) Get(key string) Value { return m.values[key] }

// Key returns a key itself, for its position.
func (m Map) Key(key string) Value {
	if m.keyNodes[key] == nil {
		return Value{}
	}
	return Value{file: m.mapping.file, node: m.keyNodes[key], path: joinPath(m.mapping.path, key)}
}

// Required returns the value of a required key. A missing key is a finding.
func (m Map) Required(key string) Value {
	v := m.Get(key)
	if !v.IsPresent() && m.mapping.IsPresent() {
		m.mapping.Add(m.mapping.file.codes.Missing, "missing key %q", key)
	}
	return v
}

// Value returns the mapping as a value.
func (m Map) Value() Value { return m.mapping }
