package tool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema/yamldoc"
)

// Annotations are keys of a parameter that are not JSON Schema and are not sent to the model.

// A ValuePath is the path of values in arguments. An empty name matches any item of a list and any member of an
// object.
type ValuePath []string

// String writes the path as code would, such as items[].id.
func (p ValuePath) String() string {
	var b strings.Builder
	for i, name := range p {
		switch {
		case name == "":
			b.WriteString("[]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

// matches reports whether the place is that of a JSON pointer.
func (p ValuePath) matches(to jsontext.Pointer) bool {
	rest := p
	for name := range to.Tokens() {
		if len(rest) == 0 || rest[0] != "" && rest[0] != name {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0
}

// An Identifier is the value of a parameter that is marked as an identifier. It must be known to the run and cannot be
// invented.
type Identifier struct {
	Argument string // path as code would write it: items[2].id
	Value    string // text, or source text of a number
	Number   bool
}

// IdentifiersIn returns the identifiers in arguments, which must be valid.
func (d *Definition) IdentifiersIn(args json.RawMessage) []Identifier {
	if len(d.Identifiers) == 0 {
		return nil
	}
	var out []Identifier
	dec := jsontext.NewDecoder(bytes.NewBuffer(args))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return out // at the end
		}
		text := token.String() // invalid after the next read
		if kind, length := dec.StackIndex(dec.StackDepth()); kind == '{' && length%2 == 1 || token.Kind() != '"' && token.Kind() != '0' {
			continue
		}
		at := dec.StackPointer()
		if slices.ContainsFunc(d.Identifiers, func(p ValuePath) bool { return p.matches(at) }) {
			out = append(out, Identifier{argumentPath(string(at)), text, token.Kind() == '0'})
		}
	}
}

// RejectionResult returns the result of a call with invalid arguments. If only values are missing that the user can
// supply, it asks for them.
func (d *Definition) RejectionResult(faults []diag.Finding, why string) chat.Result {
	r := chat.Result{}
	for _, f := range faults {
		name := strings.TrimPrefix(f.Path, "/")
		question, asked := d.Ask[name]
		if f.Code != diag.MissingArg || !asked {
			return chat.Failure(chat.InvalidArguments, "%s", why)
		}
		r.Needs = append(r.Needs, name)
		r.Question = strings.TrimSpace(r.Question + " " + question)
	}
	return r
}

type annotatedProperty struct {
	path ValuePath
	v    yamldoc.Value
}

// decodeAnnotations reads the annotations of valid parameters and explains them in the descriptions for the model.
func (d *decoder) decodeAnnotations(props []property) bool {
	good := true
	for i, p := range props {
		var hints []string
		for todo := []annotatedProperty{{ValuePath{p.name}, p.value}}; len(todo) > 0; todo = todo[1:] {
			one := todo[0]
			m, _ := one.v.Map()
			todo = append(todo, nestedProperties(one.path, m)...)
			if yes, _ := m.Get("identifier").Bool(); yes {
				good = d.decodeIdentifierAnnotation(one.path, m) && good
				hints = append(hints, identifierDescription(one.path))
			}
			if ask := m.Get("ask"); ask.IsPresent() {
				good = d.decodeParameterQuestion(one.path, m) && good
				hints = append(hints, "If the user has not said it, leave it out, and they are asked.")
			}
		}
		props[i].keywords = appendDescription(p.keywords, hints)
	}
	return good
}

func nestedProperties(at ValuePath, m yamldoc.Map) []annotatedProperty {
	var out []annotatedProperty
	under := func(name string) ValuePath { return append(slices.Clone(at), name) }
	fields, _ := m.Get("properties").Map()
	for _, name := range fields.Keys() {
		out = append(out, annotatedProperty{under(name), fields.Get(name)})
	}
	if items := m.Get("items"); items.IsPresent() {
		out = append(out, annotatedProperty{under(""), items})
	}
	if others := m.Get("additionalProperties"); others.IsPresent() && !others.IsBool() {
		out = append(out, annotatedProperty{under(""), others})
	}
	if options := m.Get("anyOf"); options.IsPresent() {
		list, _ := options.List()
		for _, option := range list {
			out = append(out, annotatedProperty{at, option})
		}
	}
	return out
}

func (d *decoder) decodeIdentifierAnnotation(at ValuePath, m yamldoc.Map) bool {
	mark := m.Get("identifier")
	types := []string{""}
	if t := m.Get("type"); t.IsList() {
		types, _ = t.Texts()
	} else if t.IsPresent() {
		types[0], _ = t.Text()
	}
	for _, t := range types {
		if !slices.Contains([]string{"string", "integer", "number", "null"}, t) {
			mark.Add(diag.DefValue, "an identifier must be a string or a number").Hint = "set type; for a list, mark the items"
			return false
		}
	}
	if m.Get("default").IsPresent() {
		mark.Add(diag.DefValue, "an identifier cannot have a default: its value must come from the user or a result")
		return false
	}
	d.def.Identifiers = append(d.def.Identifiers, at)
	return true
}

// decodeParameterQuestion reads the question for a parameter that only the user can supply.
func (d *decoder) decodeParameterQuestion(at ValuePath, m yamldoc.Map) bool {
	ask := m.Get("ask")
	question, _ := ask.Text()
	optional, said := m.Get("required").Bool()
	switch {
	case len(at) > 1:
		ask.Add(diag.DefValue, "ask applies only to whole parameters")
	case m.Get("default").IsPresent() || said && !optional:
		ask.Add(diag.DefValue, "ask applies only to required parameters")
	case strings.TrimSpace(question) == "":
		ask.Add(diag.DefValue, "must not be empty")
	default:
		if d.def.Ask == nil {
			d.def.Ask = map[string]string{}
		}
		d.def.Ask[at[0]] = strings.TrimSpace(question)
		return true
	}
	return false
}

// identifierDescription is the description of an identifier for the model.
func identifierDescription(at ValuePath) string {
	if rest := at[1:].String(); rest != "" && rest != "[]" {
		return rest + ": only what the user or an earlier result says."
	}
	return "Only what the user or an earlier result says."
}

// appendDescription appends sentences to the description of a property.
func appendDescription(keywords []member, sentences []string) []member {
	if len(sentences) == 0 {
		return keywords
	}
	text := strings.Join(sentences, " ")
	i := slices.IndexFunc(keywords, func(m member) bool { return m.key == "description" })
	if i < 0 {
		return append(slices.Clone(keywords), member{"description", json.RawMessage(quote.JSON(text))})
	}
	var described string
	if json.Unmarshal(keywords[i].value, &described) != nil {
		return keywords // always a string
	}
	out := slices.Clone(keywords)
	out[i].value = json.RawMessage(quote.JSON(described + " " + text))
	return out
}
