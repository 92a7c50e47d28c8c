package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// privateQuotes is the grammar of calls call:NAME{key:MARKtextMARK}.
func privateQuotes(mark string) grammar {
	return grammar{
		quote: mark,
		body: func(s *Scanner, f *frame) body {
			ends, b := s.endsOf(endsKey{row: f.row}), &s.private
			*b = quotedItem{sequence: &s.sequence, lit: s.literals.quoted(mark), quote: mark, stops: ends.stops, head: b.head[:0]}
			s.sequence = sequence{scanner: s, frame: f, at: f.begin, ends: ends, item: b}
			return &s.sequence
		},
		render: func(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
			b = append(append(b, d.framing.writes[0]...), "call:"+c.Name...)
			from := len(b)
			b = literal.AppendQuoted(b, namedArguments(c), mark)
			object := literal.NewQuoted(mark, literal.Options{})
			object.Write(b[from:])
			return append(b, d.framing.writes[1]...), namable(c.Name) && object.Status() == chat.StatusOK
		},
	}
}

// A quotedItem reads one call: its name and its object.
type quotedItem struct {
	*sequence
	lit    *literal.Scanner
	quote  string
	stops  *literal.Stops
	from   int    // where the call begins
	head   []byte // what stands before the brace; no more than a name
	braced bool   // the brace has come, with which the object begins
}

const callWord = "call:"

func (b *quotedItem) write(p []byte) (int, literal.State) {
	n := 0
	for ; !b.braced && n < len(p); n++ {
		switch c := p[n]; {
		case c == '{' && b.name() != "":
			b.braced = true
			b.lit.Reset(literal.Options{Base: b.from + len(b.head), Stops: b.stops})
			n--
		case c == '<' || c == '{' || isNewline(c) || len(b.head) > longestName:
			return n, literal.Bad
		default:
			b.head = append(b.head, c)
		}
	}
	if !b.braced {
		return n, literal.More
	}
	k, state := b.scanner.read(b.lit, p[n:])
	return n + k, state
}

// name returns the name of the call.
func (b *quotedItem) name() string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(string(b.head), ": \t"), callWord))
}

func (b *quotedItem) hint() string {
	return "a call is: call:name{key:" + b.quote + "text" + b.quote + "}"
}

// begins reports whether a call can begin with a byte. Behind a call without a mark comes
// text, or the mark of another.
func (b *quotedItem) begins(c byte) bool {
	return (isNameByte(c) || c == ':') && !(b.any && b.frame.lacks != "")
}

func (b *quotedItem) begin(c byte, at int) bool {
	if !b.begins(c) {
		return false
	}
	b.braced, b.from, b.head = false, at, b.head[:0]
	return true
}

func (b *quotedItem) take(literal.State) string {
	if !b.braced {
		b.scanner.noCall(diag.Bytes(b.from, b.from+len(b.head)), "", b.hint())
		return ""
	}
	begin := b.from + len(b.head)
	object := b.lit.Kept(begin)
	call := chat.Call{
		Name: b.name(), Arguments: b.lit.Value(), Status: b.lit.Status(), ValueChanged: b.lit.Changed(),
		Start: b.from, Text: string(b.head) + object[:min(len(object), b.lit.End()-begin)],
	}
	call.End = call.Start + len(call.Text)
	r := reader{tools: b.scanner.tools, call: call, findings: b.lit.Findings()}
	if at := strings.LastIndex(string(b.head), call.Name); at >= 0 {
		r.cleanName(diag.Bytes(call.Start+at, call.Start+at+len(call.Name)))
	}
	b.strays(&r)
	b.scanner.passCall(&r)
	return b.behind(b.lit)
}

// strays reports what is wrong before the name: no mark, or a colon too many.
func (b *quotedItem) strays(r *reader) {
	first := diag.Bytes(b.from, b.from+1)
	if lacks := b.frame.lacks; lacks != "" {
		b.scanner.find(diag.New(diag.MissingOpener, first, "%q is missing before the call", lacks))
	}
	if b.head[0] == ':' {
		f := diag.New(diag.StrayMarker, first, "colon before the call")
		f.Fixes = fix(diag.Safe, "remove the colon", diag.Edit{Start: b.from, End: b.from + 1})
		r.findings = append(r.findings, f)
	}
}

func (b *quotedItem) close() {
	if !b.braced {
		b.scanner.find(diag.New(diag.CutCall, diag.Bytes(b.from, b.at), "the text ends inside the name of a call"))
		return
	}
	b.take(b.lit.Close())
	if slices.ContainsFunc(b.lit.Findings(), func(f diag.Finding) bool { return f.Code == diag.WrongCloser }) {
		b.scanner.cut = true // an open string holds what closes the call
	}
}
