package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// pythonic is the grammar of calls of Python with literals for arguments.
var pythonic = grammar{body: newPythonBody, render: renderPython}

// A pythonItem reads one call of Python.
type pythonItem struct {
	*sequence
	options literal.Options
	lit     *literal.Scanner
}

func newPythonBody(s *Scanner, f frame) body {
	ends := s.frameEnds(f.row)
	seq := &sequence{scanner: s, frame: f, at: f.begin, ends: ends, most: 1, hint: "a call is: name(key=literal)"}
	if f.open() {
		seq.ends = append(slices.Clip(ends), strings.Repeat(string(f.char), f.length))
	}
	seq.item = &pythonItem{sequence: seq, options: literal.Options{
		Stops: ends, JSONWords: true, Wrapper: "print", Fence: literal.Fence{Char: f.char, Len: f.length},
	}}
	return seq
}

func (b *pythonItem) begins(c byte) bool {
	return isNameByte(c) && (c < '0' || c > '9') && c != '-' && c != '.'
}

func (b *pythonItem) begin(c byte, at int) bool {
	if c == '<' && !b.frame.fence.open() {
		return false
	}
	b.options.Base = at
	b.lit = literal.NewPython(b.options)
	return true
}

func (b *pythonItem) write(p []byte) (int, literal.State) { return b.scanner.read(b.lit, p) }

func (b *pythonItem) take(state literal.State) string {
	call, ok := b.lit.Call()
	if junk, isJunk := b.lit.Junk(); isJunk && !ok {
		b.scanner.noCall(junk, b.hint)
	}
	r := reader{call: call, findings: b.lit.Findings()}
	r.pythonName(b.frame.row)
	b.wrapped, b.inLine = b.lit.Wrapped(), !b.lit.LineStart()
	b.scanner.passCall(&r)
	if state == literal.Fenced {
		b.scanner.closedAt(b.lit.End(), b.lit.LineStart())
	}
	return b.behind(b.lit)
}

func (b *pythonItem) close() { b.take(b.lit.Close()) }

// pythonName removes from the name of a call what does not belong to it. Without any
// argument a call has the empty object of them.
func (r *reader) pythonName(row *Dialect) {
	c, f := &r.call, &row.framing
	if f.prefix != "" && strings.HasPrefix(c.Text, f.prefix) { // which is as it should be
		r.findings = slices.DeleteFunc(r.findings, func(f diag.Finding) bool { return f.Code == diag.NameNoise })
		if c.Status == chat.StatusRepaired {
			c.Status = chat.StatusOK
		}
	}
	c.Name = strings.TrimSuffix(c.Name, f.suffix)
	if clean, noise := cleanName(c.Name); noise != "" && clean != "" {
		c.Name = clean
		r.add(diag.New(diag.NameNoise, diag.Bytes(c.Start, c.Start+1), "%s", noise))
	}
	if c.Positional && string(c.Arguments) == "[]" {
		c.Positional, c.Arguments = false, []byte("{}")
	}
}

// renderPython writes a call as Python, with arguments by name.
func renderPython(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(append(b, d.framing.writes[0]...), c.Name+"("...)
	dec := jsontext.NewDecoder(bytes.NewReader(namedArguments(c)))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return b, false
	}
	for first := true; dec.PeekKind() == '"'; first = false {
		key, err := dec.ReadToken()
		name := key.String()
		if err != nil || !isIdentifier(name) || strings.Contains(name, "$") {
			return b, false
		}
		value, err := dec.ReadValue()
		if err != nil {
			return b, false
		}
		if !first {
			b = append(b, ", "...)
		}
		b = literal.AppendPython(append(b, name+"="...), value)
	}
	return append(append(b, ')'), d.framing.writes[1]...), namable(c.Name) && !strings.Contains(c.Name, "-")
}
