package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// privateQuotes is the grammar of calls call:NAME{key:MARKtextMARK}.
func privateQuotes(marker string) grammar {
	return grammar{
		stringDelimiter: marker,
		newBody: func(s *sink, f *frame) body {
			ends, b := s.terminatorsFor(terminatorKey{dialect: f.dialect}), pooledValue[privateQuotesItem](s.bodyPool)
			*b = privateQuotesItem{sequence: pooledValue[sequence](s.bodyPool), lit: s.literals.privateQuotes(marker), quote: marker, stops: ends.stops, head: b.head[:0]}
			*b.sequence = sequence{sink: s, frame: f, at: f.bodyAt, terminators: ends, item: b}
			return b.sequence
		},
		render: func(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
			b = append(append(b, d.framing.affixes[0]...), "call:"+c.Name...)
			from := len(b)
			b = literal.AppendDelimited(b, argumentsObject(c), marker)
			object := literal.NewDelimited(marker, literal.Options{})
			object.Write(b[from:])
			return append(b, d.framing.affixes[1]...), isBareName(c.Name) && object.Status() == chat.StatusOK
		},
	}
}

type privateQuotesItem struct {
	*sequence
	lit      *literal.Scanner
	quote    string
	stops    *literal.Stops
	startAt  int    // start of the call
	head     []byte // the text before the brace, at most the length of a name
	inObject bool   // the opening brace has been read
}

const callWord = "call:"

func (b *privateQuotesItem) write(p []byte) (int, literal.State) {
	n := 0
	for ; !b.inObject && n < len(p); n++ {
		switch c := p[n]; {
		case c == '{' && b.name() != "":
			b.inObject = true
			b.lit.Reset(literal.Options{Base: b.startAt + len(b.head), Stops: b.stops})
			n--
		case c == '<' || c == '{' || isNewline(c) || len(b.head) > maxToolName:
			return n, literal.Invalid
		default:
			b.head = append(b.head, c)
		}
	}
	if !b.inObject {
		return n, literal.NeedMore
	}
	k, state := b.sink.readLiteral(b.lit, p[n:])
	return n + k, state
}

func (b *privateQuotesItem) name() string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(string(b.head), ": \t"), callWord))
}

func (b *privateQuotesItem) callFormHint() string {
	return "a call is: call:name{key:" + b.quote + "text" + b.quote + "}"
}

// canBegin reports whether a call can begin with a byte. A call without a marker is followed by text or by
// another marker.
func (b *privateQuotesItem) canBegin(c byte) bool {
	return (isNameByte(c) || c == ':') && !(b.hasItems && b.frame.missingOpener != "")
}

func (b *privateQuotesItem) begin(c byte, at int) bool {
	if !b.canBegin(c) {
		return false
	}
	b.inObject, b.startAt, b.head = false, at, b.head[:0]
	return true
}

func (b *privateQuotesItem) emitCall(literal.State) string {
	if !b.inObject {
		b.sink.reportNotACall(diag.Bytes(b.startAt, b.startAt+len(b.head)), "", b.callFormHint())
		return ""
	}
	begin := b.startAt + len(b.head)
	object := b.lit.Captured(begin)
	call := chat.Call{
		Name: b.name(), Arguments: b.lit.Value(), Status: b.lit.Status(), ValueChanged: b.lit.ValueChanged(),
		Start: b.startAt, Text: string(b.head) + object[:min(len(object), b.lit.End()-begin)],
	}
	call.End = call.Start + len(call.Text)
	r := callReader{tools: b.sink.tools, call: call, findings: b.lit.Findings()}
	if at := strings.LastIndex(string(b.head), call.Name); at >= 0 {
		r.cleanName(diag.Bytes(call.Start+at, call.Start+at+len(call.Name)))
	}
	b.reportStrays(&r)
	b.sink.emitCall(&r)
	return b.markerTextToUnread(b.lit)
}

// reportStrays reports a missing marker or an extra colon before the name.
func (b *privateQuotesItem) reportStrays(r *callReader) {
	first := diag.Bytes(b.startAt, b.startAt+1)
	if lacks := b.frame.missingOpener; lacks != "" {
		b.sink.report(diag.New(diag.MissingOpener, first, "missing %q before the call", lacks))
	}
	if b.head[0] == ':' {
		f := diag.New(diag.StrayMarker, first, "unexpected colon before the call")
		f.Fixes = newFix(diag.Safe, "remove the colon", diag.Edit{Start: b.startAt, End: b.startAt + 1})
		r.findings = append(r.findings, f)
	}
}

func (b *privateQuotesItem) close() {
	if !b.inObject {
		b.sink.report(diag.New(diag.TruncatedCall, diag.Bytes(b.startAt, b.at), "the text ends inside the name of a call"))
		return
	}
	b.emitCall(b.lit.Close())
	if slices.ContainsFunc(b.lit.Findings(), func(f diag.Finding) bool { return f.Code == diag.WrongCloser }) {
		b.sink.callCut = true // an open string contains the closer of the call
	}
}
