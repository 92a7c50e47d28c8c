package mend

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// mostRounds bounds how often a value is fitted to its schema: what was in a
// string is fitted in the round after the one that decoded it.
const mostRounds = 4

// A fitting fits one value to a schema.
type fitting struct {
	notes
	text    string
	salvage bool
	values  []leaf
	gone    map[int]bool // values that are changed as a whole
	filled  map[int]bool // starts of objects that got a member
	wrong   []diag.Finding
}

// fit fits the value of a result to the schema.
func (g *guide) fit(r Result, salvage bool) Result {
	for range mostRounds {
		f := fitting{text: string(r.Value), salvage: salvage, gone: map[int]bool{}, filled: map[int]bool{}}
		f.run(g.node(g.root))
		edits := f.edits()
		if len(edits) == 0 {
			r.Findings = append(r.Findings, f.wrong...)
			if len(f.wrong) > 0 {
				r.Status = chat.StatusInvalid
			}
			return r
		}
		text := Apply(f.text, edits)
		if ok, _, _ := isStrict(text); !ok {
			break // what was decoded is too deep where it stands
		}
		r.Text, r.Value, r.Changed = text, json.RawMessage(text), true
		r.Edits = []diag.Edit{{Start: 0, End: len(r.source), New: text}}
		for _, n := range f.list {
			n.edits, n.start, n.end = nil, 0, len(r.source)
			r.Findings = append(r.Findings, n.finding())
		}
		if r.Status == chat.StatusOK || r.Status == chat.StatusRepaired {
			r.Status = chat.StatusAmbiguous
		}
	}
	return r
}

// run looks at every value once, those around before those inside.
func (f *fitting) run(root *node) {
	f.values = tree(f.text)
	f.values[0].node = root
	for i := range f.values {
		v := &f.values[i]
		if f.inGone(i) || v.node == nil {
			continue
		}
		kind := f.text[v.start]
		if n := v.node.choose(kind); n != nil && !n.allows(kind) {
			f.convert(i, kind)
			continue
		}
		if v.node = v.node.choose(kind); v.node == nil {
			continue
		}
		f.look(i, kind)
	}
}

// inGone reports whether a value stands in one that is changed as a whole.
func (f *fitting) inGone(i int) bool {
	for i >= 0 {
		if f.gone[i] {
			return true
		}
		i = f.values[i].parent
	}
	return false
}

// look checks a value of the right type, and tells its members and items what the
// schema says about them.
func (f *fitting) look(i int, kind byte) {
	v := &f.values[i]
	switch kind {
	case '{':
		f.members(v, i)
	case '[':
		n := v.node.items()
		for _, k := range v.kids {
			f.values[k].node = n
		}
		if least, ok := v.node.rules["minItems"].(float64); ok && float64(len(v.kids)) < least {
			f.violation(i, diag.ArgConstraint, "an array has fewer than %v items", least)
		}
	default:
		f.enum(i)
	}
	if slices.Equal(v.node.types(), []string{"integer"}) {
		f.integer(i)
	}
}

// members checks which members an object has.
func (f *fitting) members(v *leaf, i int) {
	has := map[string]bool{}
	for _, k := range v.kids {
		m := &f.values[k]
		has[m.key] = true
		m.node = v.node.property(m.key)
		if _, known := v.node.properties()[m.key]; !known && v.node.rules["additionalProperties"] == false && v.node.rules["patternProperties"] == nil {
			f.violation(i, diag.UnknownArg, "there is no member %s in the schema", excerpt(m.key))
		}
	}
	required, _ := v.node.rules["required"].([]any)
	for _, x := range required {
		if name, ok := x.(string); ok && !has[name] && !f.fill(v, name) {
			f.violation(i, diag.MissingArg, "the member %s is missing", excerpt(name))
		}
	}
}

// fill adds a member that is missing, if salvage may and the schema names its
// value, or its type is one that can be empty.
func (f *fitting) fill(v *leaf, name string) bool {
	n := v.node.property(name)
	if !f.salvage || n == nil {
		return false
	}
	with, ok := n.given()
	if !ok {
		return false
	}
	text := quoted(name) + ": " + with
	if len(v.kids) > 0 || f.filled[v.start] {
		text = ", " + text
	}
	f.filled[v.start] = true
	f.add(note{diag.MissingArg, v.start, v.end, "a required member is missing", "add what the schema says", diag.Unsafe,
		[]edit{insert(behind, v.end-1, text)}})
	return true
}

// violation notes that a value does not fit. With salvage the item that it stands
// in is dropped.
func (f *fitting) violation(i int, code diag.Code, format string, args ...any) {
	for k := i; f.salvage && k > 0; k = f.values[k].parent {
		if p := f.values[k].parent; f.text[f.values[p].start] == '[' {
			f.drop(k, p)
			return
		}
	}
	f.wrong = append(f.wrong, diag.New(code, diag.Span{}, format, args...))
}

// drop removes an item with one of its commas.
func (f *fitting) drop(k, array int) {
	kids := f.values[array].kids
	at := slices.Index(kids, k)
	f.gone[k] = true
	v := f.values[k]
	cut := remove(v.start, v.end)
	if at+1 < len(kids) {
		cut = remove(v.start, f.values[kids[at+1]].start)
	} else if at > 0 {
		start := f.values[kids[at-1]].end
		if f.gone[kids[at-1]] {
			start = v.start // its comma went with the one before, which leaves another
			for start--; f.text[start] != ','; start-- {
			}
		}
		cut = remove(start, v.end)
	}
	f.add(note{diag.WrongType, v.start, v.end, "an item does not fit its schema", "drop it", diag.Unsafe, []edit{cut}})
}

// enum checks a value that has to be one of several. Its case may differ.
func (f *fitting) enum(i int) {
	v := f.values[i]
	list, _ := v.node.rules["enum"].([]any)
	if c, ok := v.node.rules["const"]; ok {
		list = []any{c}
	}
	if list == nil {
		return
	}
	var value any
	json.Unmarshal([]byte(f.text[v.start:v.end]), &value) // it is valid
	same := ""
	for _, x := range list {
		text, ok := x.(string)
		said, isText := value.(string)
		if x == value {
			return
		}
		if ok && isText && strings.EqualFold(text, strings.TrimSpace(said)) {
			same = text
		}
	}
	if same == "" {
		f.violation(i, diag.NotInEnum, "%s is none of the allowed values", excerpt(f.text[v.start:v.end]))
		return
	}
	f.change(i, quoted(same), "a value is written in another case")
}

// change replaces a value.
func (f *fitting) change(i int, with, why string) {
	v := f.values[i]
	f.gone[i] = true
	f.add(note{diag.WrongType, v.start, v.end, why, "write " + excerpt(with), diag.Unsafe, []edit{replace(v.start, v.end, with)}})
}
