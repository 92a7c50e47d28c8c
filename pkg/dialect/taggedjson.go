package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// taggedJSON is the grammar of JSON behind a mark: calls, or lists of calls, with
// anything between them that parts values.
func taggedJSON(f form) grammar { return grammar{form: &f, body: newJSONBody, render: renderTagged} }

// A jsonItem reads one object: a call, or calls whose tools are its keys. It also
// passes over what is none.
type jsonItem struct {
	*sequence
	form  *form
	title title // the name of the tool, as what stands before says it
	lit   *literal.Scanner
	part  partOf
	from  int    // where it begins
	name  string // the key of a call
	key   diag.Span
}

// A partOf is what a jsonItem reads.
type partOf int

const (
	anObject partOf = iota
	noObject        // what is no object
	aBrace          // keyed: the opening brace
	theKey          // the name of a tool
	theValue        // its arguments
	theComma        // a comma, or the closing brace
	theRest         // what stands behind a fault
)

func newJSONBody(s *Scanner, f *frame) body { return newJSONSequence(s, f, title{}) }

// newJSONSequence is newJSONBody where the calls must be of a tool that has been named
// before them, if one has.
func newJSONSequence(s *Scanner, f *frame, t title) body {
	ends, b := s.endsOf(endsKey{row: f.row, json: true}), &s.json
	*b = jsonItem{sequence: &s.sequence, form: f.grammar.form, title: t, lit: s.literals.json(literal.Options{Stops: ends.stops})}
	s.sequence = sequence{scanner: s, frame: f, at: f.begin, ends: ends, item: b, single: !f.row.framing.several}
	return &s.sequence
}

// stops returns the marks that end JSON, wherever they stand outside of strings:
// those that close a frame, and those that begin the next.
func (d *Dialect) stops() []string {
	all := slices.Clone(d.framing.closes)
	for _, m := range d.framing.marks {
		if m.role <= takes && m.text[0] == '<' || strings.HasPrefix(m.text, "[TOOL_") {
			all = append(all, m.text)
		}
	}
	return unique(all)
}

// hint shows how a call is written.
func (f *form) hint() string {
	if f.keyed {
		return "{NAME: {…}}"
	}
	return `{"` + f.name.String() + `": …, "` + f.args.String() + `": {…}}`
}

func (b *jsonItem) hint() string { return "a call is: " + b.form.hint() }

func (b *jsonItem) begins(c byte) bool { return c == '{' }

func (b *jsonItem) begin(c byte, at int) bool {
	b.lit.Forget()
	b.lit.MoveTo(at)
	b.from = at
	switch {
	case c != '{':
		b.part = noObject
		b.lit.PassOver()
	case b.form.keyed:
		b.part = aBrace
		b.lit.ExpectMark("{", false)
	default:
		b.part = anObject
		b.lit.ExpectObject(callMembers)
	}
	return true
}

func (b *jsonItem) write(p []byte) (int, literal.State) {
	for n := 0; ; {
		k, state := b.scanner.read(b.lit, p[n:])
		if b.part == noObject && k > 0 { // a mark that is quoted in it is none
			b.scanner.steps += b.scanner.line.add(string(p[n : n+k]))
		}
		n += k
		switch {
		case state == literal.Bad && b.part == theComma && n < len(p) && p[n] == '{':
			at := b.lit.End()
			b.scanner.find(diag.New(diag.Concatenated, diag.Bytes(at, at+1), "a second value follows the arguments of %s and is ignored", excerpt(b.name)))
			b.part = theRest
			b.lit.PassRest("{")
		case state == literal.Bad && b.part == theComma && n < len(p) && p[n] == ']':
			at := b.lit.End()
			f := diag.New(diag.Bracket, diag.Bytes(at, at+1), "'}' is missing before ']'")
			f.Fixes = fix(diag.Unsafe, "add }", diag.Edit{Start: at, End: at, New: "}"})
			b.scanner.find(f)
			b.part = theRest
			return n, state
		case state == literal.Bad && b.part >= theKey && b.part != theRest:
			b.take(state)
			b.part = theRest
			b.lit.PassRest("{")
		case state != literal.Done || b.part == anObject || b.keyed():
			return n, state
		}
	}
}

// keyed goes on in an object whose keys are tools. It reports whether the object
// has ended.
func (b *jsonItem) keyed() bool {
	switch b.part {
	case aBrace:
		b.nextKey()
	case theKey:
		b.name, _, b.key = b.lit.Key()
		b.part = theValue
		b.lit.ExpectValue()
	case theValue:
		b.emitKeyed()
		b.part = theComma
		b.lit.ExpectMark(",}", false)
	case theComma:
		if b.lit.Mark() == '}' {
			return true
		}
		b.nextKey()
	case theRest:
		return true
	}
	return false
}

func (b *jsonItem) nextKey() {
	b.part = theKey
	b.lit.Keep()
	b.lit.ExpectKey()
}

func (b *jsonItem) take(state literal.State) string {
	switch {
	case b.part == anObject:
		w := &b.scanner.written
		w.take(b.form, b.lit)
		b.emit(w)
	case b.part == theValue:
		b.emitKeyed()
	case b.part == theRest:
	case state != literal.Done:
		b.scanner.noCall(diag.Bytes(b.from, max(b.lit.End(), b.from+1)), "", b.hint())
	}
	return b.behind(b.lit)
}

func (b *jsonItem) close() { b.take(b.lit.Close()) }

// emit passes on a call.
func (b *jsonItem) emit(w *written) {
	r := reader{tools: b.scanner.tools}
	r.read(w)
	if r.call.Name == "" && b.form.before {
		r.nameBefore(b.scanner.wordBefore(b.frame.at))
	}
	r.compare(b.title)
	b.scanner.passCall(&r)
}

// A title is the name of a tool in the header of a message.
type title struct {
	name string // "" for none
	at   int
}

// compare reports a header that writes the tool of the call in another way. The call counts.
func (r *reader) compare(t title) {
	place, written := diag.Bytes(t.at, t.at+len(t.name)), t.name
	token := markupAt(written)
	if token >= 0 {
		written = strings.TrimSpace(written[:token])
	}
	name, noise := cleanName(written, r.tools)
	switch _, known := r.tools[name]; {
	case name == "" || r.call.Name == "":
	case r.call.Name != name:
		f := diag.New(diag.CallMember, diag.Bytes(r.call.Start, r.call.End), "the message is for %s and its call of %s, which counts", excerpt(name), excerpt(r.call.Name))
		f.Severity = diag.Warning
		r.add(f)
	case token >= 0:
		f := diag.New(diag.MarkupInName, place, "%q in the tool's name in the header is not part of it", excerpt(t.name[token:]))
		if !known {
			f.Severity = diag.Error
		}
		r.add(f)
	case noise != "":
		r.add(diag.New(diag.NameNoise, place, "in the header, %s", noise))
	}
}

// emitKeyed passes on a call whose tool is a key.
func (b *jsonItem) emitKeyed() {
	value, place, text := b.lit.Value(), b.lit.Place(), b.lit.Kept(b.key.Start)
	text = text[:min(len(text), place.End-b.key.Start)]
	r := newNamedReader(namedCall{name: b.name, place: b.key, clean: b.name, quoted: true, start: b.key.Start, text: text}, b.scanner.tools, b.lit.Findings())
	r.call.Status, r.call.ValueChanged = b.lit.Status(), b.lit.Changed()
	switch {
	case len(value) == 0 || value[0] == '{':
		r.call.Arguments = value
	case holdsObject(value):
		r.args = value
		r.readEncoded(place)
	default:
		r.fault(diag.CallMember, place, "the arguments of %s are %s, and should be an object", excerpt(b.name), kindOf(value[0]))
	}
	b.scanner.passCall(r)
}

// renderTagged writes a call behind its mark.
func renderTagged(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	f, args := d.grammar.form, string(namedArguments(c))
	b = append(b, d.framing.writes[0]...)
	if f.keyed {
		b = append(b, "{"+quote(c.Name)+":"+args+"}"...)
	} else {
		b = append(b, `{"`+f.name.String()+`":`+quote(c.Name)+`,"`+f.args.String()+`":`+args+"}"...)
	}
	return append(b, d.framing.writes[1]...), true
}
