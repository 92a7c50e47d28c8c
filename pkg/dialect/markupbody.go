package dialect

import (
	"encoding/json"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/markup"
	"oneshot/pkg/literal"
)

// markupGrammar is the grammar of calls written as tags with text between them.
func markupGrammar(syntax *markup.Syntax) grammar {
	return grammar{
		newBody: func(s *sink, f *frame) body {
			b := pooledValue[markupBody](s.bodyPool) // reused, because each call has a frame of its own
			if b.tags == nil {
				b.tags = new(markup.Scanner)
			}
			b.tags.Reset(syntax, markup.Options{Base: f.bodyAt, Tools: s.tools, Stops: literal.NewStops(s.reasoningClosers()...)})
			*b = markupBody{sink: s, frame: f, tags: b.tags}
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

type markupBody struct {
	sink  *sink
	frame *frame
	tags  *markup.Scanner
	steps int
}

func (b *markupBody) write(p []byte) (int, frameEnd) {
	n, state := b.tags.Write(p)
	b.addStepCount()
	switch state {
	case markup.NeedMore:
		return n, notYet
	case markup.NoCall:
		b.reportNotACall()
		if b.sink.at == b.frame.bodyAt { // p begins with the marker
			n = max(n, len(b.frame.marker))
		}
		b.sink.unread(b.unreadBytes(p[:n]))
		return n, left
	}
	b.emitCall()
	b.sink.unread(b.unreadBytes(p[:n]))
	if state == markup.Truncated { // the reasoning around the draft ends
		return n, left
	}
	return n, ended
}

// unreadBytes returns the bytes read after the end of the call; p are the last of them.
func (b *markupBody) unreadBytes(p []byte) []byte {
	rest := b.tags.Unread()
	if more := b.sink.at + len(p) - b.tags.End() - len(rest); more > 0 {
		rest += string(p[max(0, len(p)-more):])
	}
	return []byte(rest)
}

// addStepCount adds the steps of the tag scanner.
func (b *markupBody) addStepCount() {
	b.sink.steps += b.tags.Steps() - b.steps
	b.steps = b.tags.Steps()
}

// emitCall emits the call, or its findings if it has no name.
func (b *markupBody) emitCall() {
	s, r := b.sink, callReader{findings: b.tags.Findings()}
	r.call, _ = b.tags.Call()
	r.nameSpan = diag.Bytes(b.tags.NameSpan())
	r.call.Alternatives = b.tags.Alternatives()
	s.emitCall(&r)
	if r.call.Executable && !slices.Contains(s.rawTextDialects, s.frame.dialect) {
		s.rawTextDialects = append(s.rawTextDialects, s.frame.dialect)
	}
}

// reportNotACall emits the findings where there is no call.
func (b *markupBody) reportNotACall() {
	b.sink.reportFindingsOfNoCall(b.tags.Findings())
}

func (b *markupBody) close() {
	state := b.tags.Close()
	b.addStepCount()
	if state == markup.NoCall {
		b.reportNotACall()
		b.sink.emitContent(b.frame.bodyAt, b.tags.Unread())
		return
	}
	b.emitCall()
	if rest := b.tags.Unread(); rest != "" {
		b.sink.unread([]byte(rest))
	}
}
