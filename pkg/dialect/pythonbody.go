package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// pythonCalls is the grammar of Python calls with literal arguments. The prefix and suffix of tool names belong
// to the dialect.
func pythonCalls(prefix, suffix string) grammar {
	return grammar{newBody: func(s *sink, f *frame) body { return newPythonBody(s, f, prefix, suffix) }, render: renderPython}
}

// pythonic has neither prefix nor suffix.
var pythonic = pythonCalls("", "")

// A pythonItem reads one call of Python.
type pythonItem struct {
	*sequence
	lit            *literal.Scanner
	options        literal.Options
	prefix, suffix string // of tool names
}

func newPythonBody(s *sink, f *frame, prefix, suffix string) body {
	key, b := terminatorKey{dialect: f.dialect}, pooledValue[pythonItem](s.bodyPool)
	if f.isOpen() {
		key.fence = strings.Repeat(string(f.char), f.length)
	}
	ends := s.terminatorsFor(key)
	*b = pythonItem{sequence: pooledValue[sequence](s.bodyPool), lit: s.literals.python(), prefix: prefix, suffix: suffix, options: literal.Options{
		Stops: ends.stops, Wrapper: "print", Fence: literal.Fence{Char: f.char, Len: f.length},
	}}
	*b.sequence = sequence{sink: s, frame: f, at: f.bodyAt, terminators: ends, maxTrailing: 1, hashComments: true, item: b}
	return b.sequence
}

func (b *pythonItem) callFormHint() string { return "a call is: name(key=literal)" }

func (b *pythonItem) canBegin(c byte) bool {
	return isNameByte(c) && (c < '0' || c > '9') && c != '-' && c != '.'
}

func (b *pythonItem) begin(c byte, at int) bool {
	b.options.Base = at
	b.lit.Reset(b.options)
	return true
}

func (b *pythonItem) write(p []byte) (int, literal.State) { return b.sink.readLiteral(b.lit, p) }

func (b *pythonItem) emitCall(state literal.State) string {
	call, ok := b.lit.Call()
	if junk, isJunk := b.lit.NonCall(); isJunk && !ok {
		b.sink.reportNotACall(junk, b.lit.NonCallReason(), b.callFormHint())
		b.skippedTo = junk.End
	}
	r := callReader{tools: b.sink.tools, call: call, findings: b.lit.Findings()}
	b.stripNameAffixes(&r)
	r.suggestEscapedQuotes(literal.NewPython)
	if call.Positional && string(call.Arguments) == "[]" {
		r.call.Positional, r.call.Arguments = false, json.RawMessage("{}")
	}
	b.inParens, b.midLine = b.lit.IsInWrapperCall(), !b.lit.IsLineStart()
	b.sink.emitCall(&r)
	if state == literal.FenceClosed {
		b.sink.checkClosingFenceBeginsLine(b.lit.End(), b.lit.IsLineStart())
	}
	return b.markerTextToUnread(b.lit)
}

func (b *pythonItem) close() { b.emitCall(b.lit.Close()) }

// stripNameAffixes removes the prefix and suffix of the dialect from the name of a call.
func (b *pythonItem) stripNameAffixes(r *callReader) {
	c := &r.call
	if rest, ok := strings.CutPrefix(c.Text, b.prefix); ok && b.prefix != "" && !hasNamespace(rest) { // not noise in this dialect
		r.findings = slices.DeleteFunc(r.findings, func(f diag.Finding) bool { return f.Code == diag.NameNoise })
		if c.Status == chat.StatusRepaired {
			c.Status = chat.StatusOK
		}
	}
	c.Name = strings.TrimSuffix(c.Name, b.suffix)
	r.cleanName(diag.Bytes(c.Start, c.Start+1))
}

// renderPython writes a call with keyword arguments.
func renderPython(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(append(b, d.framing.affixes[0]...), c.Name+"("...)
	dec := jsontext.NewDecoder(bytes.NewReader(argumentsObject(c)))
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
	return append(append(b, ')'), d.framing.affixes[1]...), isBareName(c.Name) && !strings.Contains(c.Name, "-")
}

// hasNamespace reports whether a text begins with a namespace.
func hasNamespace(text string) bool {
	space, _ := literal.CutNamespace(text)
	return space != ""
}
