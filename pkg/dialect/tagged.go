package dialect

import (
	"encoding/json"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/markup"
)

// A Toolset maps tool names to the shapes of their arguments. Dialects with plain text values take their types
// from it.
type Toolset = markup.Toolset

// A Shape is the type information of a JSON Schema.
type Shape = markup.Shape

func ShapeOf(schema json.RawMessage) *Shape { return markup.ShapeOf(schema) }

// tagged is the grammar of calls written as tags with text between them.
func tagged(syntax *markup.Syntax) grammar {
	return grammar{
		newBody: func(s *Scanner, f *frame) body {
			b := &s.tagged // reused, because each call has a frame of its own
			if b.tags == nil {
				b.tags = new(markup.Scanner)
			}
			b.tags.Reset(syntax, markup.Options{Base: f.bodyAt, Tools: s.tools, Stops: s.reasoningClosers()})
			*b = tagBody{scanner: s, frame: f, tags: b.tags}
			return b
		},
		render: func(d *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool) {
			b, ok := syntax.Append(append(b, d.framing.affixes[0]...), c, tools)
			return append(b, d.framing.affixes[1]...), ok && isBareName(c.Name)
		},
		argumentSpans: func(text string, tools Toolset) (json.RawMessage, []ArgumentSpan) {
			return markup.LocateArguments(syntax, text, tools)
		},
	}
}

type tagBody struct {
	scanner *Scanner
	frame   *frame
	tags    *markup.Scanner
	steps   int
}

func (b *tagBody) write(p []byte) (int, frameEnd) {
	n, state := b.tags.Write(p)
	b.count()
	switch state {
	case markup.NeedMore:
		return n, notYet
	case markup.NoCall:
		b.reportNotACall()
		if b.scanner.at == b.frame.bodyAt { // p begins with the marker
			n = max(n, len(b.frame.marker))
		}
		b.scanner.unread(b.unreadBytes(p[:n]))
		return n, left
	}
	b.emitCall()
	b.scanner.unread(b.unreadBytes(p[:n]))
	if state == markup.Truncated { // the reasoning around the draft ends
		return n, left
	}
	return n, ended
}

// unreadBytes returns the bytes read after the end of the call; p are the last of them.
func (b *tagBody) unreadBytes(p []byte) []byte {
	rest := b.tags.Unread()
	if more := b.scanner.at + len(p) - b.tags.End() - len(rest); more > 0 {
		rest += string(p[max(0, len(p)-more):])
	}
	return []byte(rest)
}

// count adds the steps of the tag scanner.
func (b *tagBody) count() {
	b.scanner.steps += b.tags.Steps() - b.steps
	b.steps = b.tags.Steps()
}

// emitCall emits the call, or its findings if it has no name.
func (b *tagBody) emitCall() {
	s, r := b.scanner, reader{findings: b.tags.Findings()}
	r.call, _ = b.tags.Call()
	r.nameSpan = diag.Bytes(b.tags.NameSpan())
	r.call.Alternatives = b.tags.Alternatives()
	s.emitCall(&r)
	if r.call.Executable && !slices.Contains(s.rawTextDialects, s.frame.dialect) {
		s.rawTextDialects = append(s.rawTextDialects, s.frame.dialect)
	}
}

// reportNotACall emits the findings where there is no call.
func (b *tagBody) reportNotACall() {
	b.scanner.reportNotCalls(b.tags.Findings())
}

// reportContinuation reports a marker that closes a part of a call after all calls: a value may have contained
// the closing markers of its call, and whole calls, and continue up to here.
func (s *Scanner) reportContinuation(at int, marker string) {
	f := diag.New(diag.MarkerInValue, diag.Bytes(at, at+len(marker)), "the call before seems to continue up to this marker: a value may contain text that looks like the end of the call")
	f.Severity, f.Hint = diag.Error, "write the call again without markers in values"
	s.revokeCalls(f)
}

func (b *tagBody) close() {
	state := b.tags.Close()
	b.count()
	if state == markup.NoCall {
		b.reportNotACall()
		b.scanner.emitContent(b.frame.bodyAt, b.tags.Unread())
		return
	}
	b.emitCall()
	if rest := b.tags.Unread(); rest != "" {
		b.scanner.unread([]byte(rest))
	}
}
