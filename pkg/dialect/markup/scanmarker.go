package markup

import "bytes"

func (l *lexer) trimmedEnd(start, end int, blanks string) int {
	return start + len(bytes.TrimRight(l.text[start:end], blanks))
}

// endBeforeLineBreak returns the end of a text without one line end.
func (l *lexer) endBeforeLineBreak(start, end int) int {
	text, ok := bytes.CutSuffix(l.text[start:end], []byte("\n"))
	if ok {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	return start + len(text)
}

// isTruncatedMarker reports whether the text has ended, and only whitespace and the start of a
// marker precede its end.
func (l *lexer) isTruncatedMarker() bool {
	if !l.final {
		return false
	}
	ahead := lexer{syntax: l.syntax, words: l.words, param: l.param, text: l.text, pos: l.pos, lookahead: l.lookahead}
	_, ok := ahead.nextMarker()
	l.steps += ahead.steps
	return !ok
}

// skipBlanks moves the lookahead past whitespace. It returns false if it needs more text.
func (l *lexer) skipBlanks() bool {
	for l.lookahead < len(l.text) {
		n := 0
		switch c := l.text[l.lookahead]; {
		case isSpace(c):
			n = 1
		case c == '\\' && l.syntax.EscapedNewline:
			v := l.matchAt(l.lookahead, `\n`)
			if v == maybe {
				return false
			}
			n = 2 * int(v) / int(yes)
		}
		if n == 0 {
			return true
		}
		l.lookahead += n
		l.steps += n
	}
	return l.final
}

// A peeked is the marker found after an offset.
type peeked struct {
	at, look int // the offset, and the offset after its whitespace
	marker
}

// nextMarker returns the marker after whitespace. It returns false if it needs more text. The kind
// is noMarker if something else or nothing follows.
func (l *lexer) nextMarker() (marker, bool) {
	if l.following.at == l.lookahead && l.lookahead > 0 {
		l.lookahead = l.following.look
		return l.following.marker, true
	}
	if !l.skipBlanks() {
		return marker{}, false
	}
	i := l.lookahead
	if i == len(l.text) {
		return marker{start: i}, true
	}
	if token := l.syntax.Token; token != "" {
		switch l.matchAt(i, token) {
		case maybe:
			return marker{}, false
		case yes:
			i += len(token)
		}
	}
	found, v := l.parseMarker(i)
	if v == no {
		found, v = l.parseCloserWithoutFirstChar(i)
	}
	if v == no {
		found = marker{start: l.lookahead}
	}
	return found, v != maybe
}

// isOwnMarker reports whether a marker has the prefix or token if this call's markers do.
func (l *lexer) isOwnMarker(found marker) bool { return found.qualified || !l.qualified }

// nextOwnMarker is [lexer.nextMarker] for markers of this call only.
func (l *lexer) nextOwnMarker() (marker, bool) {
	found, ok := l.nextMarker()
	if !l.isOwnMarker(found) {
		found.kind = noMarker
	}
	return found, ok
}

// scanToMarker scans to the next marker and past it. It returns false if not found yet, and stops
// before a possible start of one.
func (l *lexer) scanToMarker() (marker, bool) {
	first := l.syntax.delimiters().Open[0]
	for {
		i := bytes.IndexByte(l.text[l.lookahead:], first)
		if i < 0 {
			l.steps += len(l.text) - l.lookahead
			l.lookahead = len(l.text)
			return marker{}, false
		}
		l.steps += i + 1
		l.lookahead += i
		found, v := l.parseMarker(l.lookahead)
		if v == maybe {
			return marker{}, false
		}
		l.lookahead++
		if v == yes {
			return found, true
		}
	}
}

// Lookahead limits for one marker.
const (
	maxBlanks      = 8   // before the end of a closing tag
	maxElementName = 128 // bytes of an element name
)

// matchAt reports whether a text is at an offset.
func (l *lexer) matchAt(i int, text string) verdict {
	rest := l.text[i:]
	switch {
	case len(rest) >= len(text):
		if string(rest[:len(text)]) == text {
			return yes
		}
	case !l.final && string(rest) == text[:len(rest)]:
		return maybe
	}
	return no
}

// parseCloserWithoutFirstChar parses a closing tag of the call without its first character.
func (l *lexer) parseCloserWithoutFirstChar(i int) (marker, verdict) {
	d := l.syntax.delimiters()
	if len(d.Close) < 2 || i == len(l.text) || l.text[i] != d.Close[1] {
		return marker{}, no
	}
	best := no
	for _, name := range l.syntax.CallTags {
		for _, name := range []string{name, l.syntax.Prefix + name} {
			closer := d.Close[1:] + name + d.End
			switch v := l.matchAt(i, closer); v {
			case yes:
				return marker{kind: callClose, qualified: l.qualified, firstMissing: true, start: i, end: i + len(closer)}, yes
			case maybe:
				best = maybe
			}
		}
	}
	return marker{}, best
}

// parseMarker parses the marker whose first byte is at an offset.
func (l *lexer) parseMarker(i int) (marker, verdict) {
	l.steps++
	found, v := l.parseKnownMarker(i)
	if v == no && l.param.closesByName {
		found, v = l.parseCloserByParamName(i)
	}
	if v == no && l.syntax.ElementParams {
		found, v = l.parseElement(i)
		found = l.includeLeadingToken(found, i, false)
	}
	return found, v
}

// parseKnownMarker parses a marker of the vocabulary.
func (l *lexer) parseKnownMarker(i int) (marker, verdict) {
	open := no
	words := l.words.candidateWords(l.text[i:])
	for k := range words {
		w := &words[k]
		v := l.matchAt(i, w.text)
		if v == yes {
			var found marker
			if found, v = l.parseTail(w.kind, w.tail, i+len(w.text)); v == yes {
				return l.includeLeadingToken(found, i, w.qualified), yes
			}
		}
		open = max(open, v)
	}
	return marker{}, open
}

// parseCloserByParamName parses a closing tag with the name of the parameter instead of its tag.
func (l *lexer) parseCloserByParamName(i int) (marker, verdict) {
	found, v := l.parseNameCloserWith(i, "")
	if prefix := l.syntax.Prefix; v != yes && prefix != "" {
		dressed, other := l.parseNameCloserWith(i, prefix)
		return dressed, max(v, other)
	}
	return found, v
}

// parseNameCloserWith is [lexer.parseCloserByParamName] with a prefix.
func (l *lexer) parseNameCloserWith(i int, prefix string) (marker, verdict) {
	end, v := l.matchSequence(i, l.syntax.delimiters().Close, prefix, l.param.name.text)
	if v != yes {
		return marker{}, v
	}
	found, v := l.parseTail(elementClose, endTail, end)
	found = l.includeLeadingToken(found, i, prefix != "")
	found.name = l.param.name.text
	return found, v
}

// matchSequence reports whether texts follow each other at an offset, and where they end.
func (l *lexer) matchSequence(i int, texts ...string) (end int, v verdict) {
	for _, text := range texts {
		if v := l.matchAt(i, text); v != yes {
			return i, v
		}
		i += len(text)
	}
	return i, yes
}

// includeLeadingToken sets the start of a marker, which includes a preceding token.
func (l *lexer) includeLeadingToken(found marker, i int, dressed bool) marker {
	found.start, found.qualified = i, dressed || l.syntax.Prefix == "" && l.syntax.Token == ""
	if token := l.syntax.Token; token != "" && bytes.HasSuffix(l.text[min(i, l.pos):i], []byte(token)) {
		found.start, found.qualified = i-len(token), true
	}
	return found
}

// parseTail parses the required end of a marker after its name, which ends at i.
func (l *lexer) parseTail(k markerKind, t tail, i int) (marker, verdict) {
	found := marker{kind: k, nameEnd: i, end: i}
	switch t {
	case noTail:
		return found, yes
	case equalsTail, attrTail:
		v := l.nameEndsAt(i, t)
		if v == no && l.syntax.GluedAttr {
			return l.parseGluedAttribute(found)
		}
		return found, v
	}
	end, v := l.parseTagEnd(i)
	switch {
	case v == no && t == anyTail:
		end, v, found.unclosed = i, yes, true
	case v == no && t == optionalEndTail:
		end, v = i, l.isTagEndMissing(i)
		found.unclosed = v == yes
	}
	found.end = end
	return found, v
}

// nameEndsAt reports whether the name of an opening tag ends at an offset.
func (l *lexer) nameEndsAt(i int, t tail) verdict {
	if i == len(l.text) {
		return l.maybeUnlessFinal()
	}
	c := l.text[i]
	if t == equalsTail {
		return verdictOf(c == '=')
	}
	if isSpace(c) || c == '/' {
		return yes
	}
	return l.matchAt(i, l.syntax.delimiters().End)
}

// byteLevelSpace is the space of byte-level tokenizers.
const byteLevelSpace = "\u0120"

// parseGluedAttribute parses an attribute directly after the name of an opening tag, or after a
// [byteLevelSpace].
func (l *lexer) parseGluedAttribute(found marker) (marker, verdict) {
	open := no
	for _, blank := range []string{"", byteLevelSpace} {
		end, v := l.matchSequence(found.end, blank, l.syntax.NameAttr, "=")
		if v == yes {
			found.nameEnd = end - len(l.syntax.NameAttr) - len("=")
			found.end, found.glued = found.nameEnd, true
			return found, yes
		}
		open = max(open, v)
	}
	return found, open
}

func verdictOf(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// maybeUnlessFinal is the verdict at the end of the text.
func (l *lexer) maybeUnlessFinal() verdict {
	if l.final {
		return no
	}
	return maybe
}

// parseTagEnd parses the end of a tag without attributes, after optional whitespace.
func (l *lexer) parseTagEnd(i int) (int, verdict) {
	stop := min(len(l.text), i+maxBlanks)
	for i < stop && isSpace(l.text[i]) {
		i++
	}
	end := l.syntax.delimiters().End
	v := l.matchAt(i, end)
	return i + len(end), v
}

// isTagEndMissing reports whether the end of a closing tag is missing at an offset: the line or
// text ends, or another marker begins.
func (l *lexer) isTagEndMissing(i int) verdict {
	if i == len(l.text) {
		return verdictOf(l.final)
	}
	c := l.text[i]
	return verdictOf(c == '\n' || c == '\r' || c == l.syntax.delimiters().Open[0])
}

// parseElement parses a tag that is not in the vocabulary.
func (l *lexer) parseElement(i int) (marker, verdict) {
	d := l.syntax.delimiters()
	found := marker{kind: elementClose}
	v := l.matchAt(i, d.Close)
	from := i + len(d.Close)
	if v != yes {
		found.kind, from = elementOpen, i+len(d.Open)
		if v = max(v, l.matchAt(i, d.Open)); v != yes {
			return marker{}, v
		}
	}
	end := from
	for end < len(l.text) && end-from < maxElementName && isNameByte(l.text[end]) {
		end++
	}
	l.steps += end - from
	if end == len(l.text) {
		return marker{}, l.maybeUnlessFinal()
	}
	if end == from || end-from == maxElementName {
		return marker{}, no
	}
	found.name, found.nameEnd = string(l.text[from:end]), end
	if found.kind == elementOpen && l.text[end] == '/' {
		found.selfClosing = true
		end++
	}
	found.end, v = l.parseTagEnd(end)
	return found, v
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isNameByte reports whether a byte can be part of an element name.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
}

// isParamCloser reports whether a marker is the parameter's own closing tag.
func (l *lexer) isParamCloser(found marker) bool {
	if l.param.isElement {
		return found.kind == elementClose && found.name == l.param.name.text
	}
	return found.kind == paramClose
}

// isCloserWithParamName reports whether a marker is a closing tag with the parameter's name.
func (l *lexer) isCloserWithParamName(found marker) bool {
	return found.kind == elementClose && found.name == l.param.name.text
}

// maxKeyLen limits the lookahead for a parameter name inside a value, in bytes.
const maxKeyLen = 256
