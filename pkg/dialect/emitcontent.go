package dialect

import (
	"bytes"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// wordBefore returns the word that ends right before an offset, or "".
func (s *sink) wordBefore(at int) string {
	if s.contentEnd != at || len(s.precedingWord.text) > maxToolName {
		return ""
	}
	return string(s.precedingWord.text)
}

// emitTextExcept emits the held bytes and p as content, except for the last keep bytes, which it holds.
func (s *sink) emitTextExcept(p []byte, keep int) {
	s.hold(nil)
	if free := len(s.held) + len(p) - keep; free >= len(s.held) {
		s.updateLinePrefix(s.held)
		s.emitContent(s.heldAt, s.textAt(s.heldAt, s.held))
		free -= len(s.held)
		s.held = s.held[:0]
		s.updateLinePrefix(p[:free])
		s.emitContent(s.at, s.textAt(s.at, p[:free]))
		s.held, s.heldAt = append(s.held, p[free:]...), s.at+free
	} else if free > 0 {
		s.updateLinePrefix(s.held[:free])
		s.emitContent(s.heldAt, s.textAt(s.heldAt, s.held[:free]))
		s.held = append(s.held[:0], s.held[free:]...)
		s.held, s.heldAt = append(s.held, p...), s.heldAt+free
	} else {
		s.held = append(s.held, p...)
	}
}

// A linePrefix classifies the line before the next byte, as Markdown reads it: blanks, a list marker, such as "-" or
// "1.", a block quote marker, or text.
type linePrefix uint8

const (
	onlyBlanks linePrefix = iota
	inListNumber
	atListMarkerEnd // a blank must follow
	afterListMarkers
	inBlockQuote // from here on up to the end of the line
	afterText
)

// after returns the prefix after one more byte.
func (l linePrefix) after(c byte) linePrefix {
	isAtStart := l == onlyBlanks || l == afterListMarkers
	switch isDigit := '0' <= c && c <= '9'; {
	case isNewline(c):
		return onlyBlanks
	case l >= inBlockQuote, isBlank(c) && isAtStart:
		return l
	case isBlank(c) && l == atListMarkerEnd:
		return afterListMarkers
	case isDigit && (isAtStart || l == inListNumber):
		return inListNumber
	case l == inListNumber && (c == '.' || c == ')'), isAtStart && (c == '-' || c == '*' || c == '+'):
		return atListMarkerEnd
	case isAtStart && c == '>':
		return inBlockQuote
	}
	return afterText
}

// updateLinePrefix updates the prefix of the line with text.
func (s *sink) updateLinePrefix(text []byte) {
	for ; s.quoteHasCall && len(text) > 0; text = text[1:] {
		s.steps++
		s.linePrefix = s.linePrefix.after(text[0])
		s.quoteHasCall = s.linePrefix != afterText
	}
	if i := max(bytes.LastIndexByte(text, '\n'), bytes.LastIndexByte(text, '\r')); i >= 0 {
		s.linePrefix, text = onlyBlanks, text[i+1:]
	}
	for _, c := range text {
		if s.linePrefix >= inBlockQuote {
			return
		}
		s.steps++
		s.linePrefix = s.linePrefix.after(c)
	}
}

// beginLineAfterMarker treats the text after a marker as the start of a line, except that a block quote continues.
func (s *sink) beginLineAfterMarker() {
	if s.linePrefix == inBlockQuote {
		s.textLine = lineState{reported: s.textLine.reported}
		return
	}
	s.linePrefix, s.textLine = onlyBlanks, lineState{}
}

// endBlockQuote ends a block quote at the end of its reasoning or message. If the quote contains a marker of calls,
// that end is quoted as well, and the block quote continues.
func (s *sink) endBlockQuote() {
	if !s.quoteHasCall {
		s.linePrefix = onlyBlanks
	}
}

// setLineBlank sets whether only blanks precede the next byte on its line, or text.
func (s *sink) setLineBlank(blank bool) {
	s.linePrefix, s.quoteHasCall = afterText, false
	if blank {
		s.linePrefix = onlyBlanks
	}
}

// unread pushes back the last bytes read.
func (s *sink) unread(text []byte) { s.pushback = append(s.pushback[:0], text...) }

// emitContent emits text outside calls, at an offset.
func (s *sink) emitContent(at int, text string) {
	if text == "" {
		return
	}
	s.contentEnd = at + len(text)
	s.steps += s.precedingWord.add(text) + s.textLine.add(text) + s.unmatched.appendText(text)
	s.afterQuotedMarker = s.afterQuotedMarker && strings.TrimLeft(text, " \t\r\n") == ""
	if s.reasoning.inside {
		s.reasoning.hasText = s.reasoning.hasText || strings.TrimLeft(text, " \t\r\n") != ""
		s.emit(Event{Reasoning: text})
		return
	}
	s.steps += s.surrounding.add(at, text)
	s.message.hasText = s.message.hasText || s.surrounding.to > at
	if len(s.tools) > 0 && !s.unmatched.isOpen && !s.foreign.isCode {
		s.steps += s.suspected.add(s.tools, at, text)
	}
	s.hasBegun = s.hasBegun || s.surrounding.hasText
	s.emit(Event{Content: text})
}

// textAt returns a piece of the text as a string, without copying if the whole text is known.
func (s *sink) textAt(at int, piece []byte) string {
	if s.whole != "" {
		return s.whole[at : at+len(piece)]
	}
	return string(piece)
}

// readLiteral reads p with a literal scanner, and counts its steps.
func (s *sink) readLiteral(lit *literal.Scanner, p []byte) (int, literal.State) {
	before := lit.Steps()
	n, state := lit.Write(p)
	s.steps += lit.Steps() - before
	return n, state
}

// hold buffers the next bytes until they are classified.
func (s *sink) hold(p []byte) {
	if len(s.held) == 0 {
		s.heldAt = s.at
	}
	s.held = append(s.held, p...)
}

// emitHeld emits the held bytes as content.
func (s *sink) emitHeld() {
	s.emitContent(s.heldAt, s.textAt(s.heldAt, s.held))
	s.dropHeld()
}

// dropHeld discards the held bytes.
func (s *sink) dropHeld() { s.held = s.held[:0] }

// reportSurroundingText reports the text since the last calls, if the dialect allows nothing but calls.
func (s *sink) reportSurroundingText(where string) {
	if o := s.surrounding; o.hasText && !o.reported && s.callsOnly {
		s.report(diag.New(diag.SurroundingText, diag.Bytes(o.from, o.to), "text %s", where))
	}
	s.surrounding = surroundingText{}
}

// reportTrailingText reports the text after the last calls, or all text if there are no calls.
func (s *sink) reportTrailingText() {
	switch {
	case s.callHolders > 0:
		s.reportSurroundingText("after the calls")
	case len(s.markers.dialects) == 1:
		s.callsOnly = s.markers.dialects[0].framing.callsOnly
		s.reportSurroundingText("in place of a JSON object with calls")
	}
}

// reportSuspectedCalls reports elements that seem to be calls.
func (s *sink) reportSuspectedCalls() {
	e := &s.suspected
	if e.count == 0 {
		return
	}
	f := diag.New(diag.NotACall, e.firstSpan, "this may be a call of %s, but the call markers are missing: it is treated as text", excerpt(e.firstTool))
	f.Severity = diag.Warning
	if e.count > 1 {
		f.Message += " (" + strconv.Itoa(e.count) + " times)"
	}
	s.report(f)
}
