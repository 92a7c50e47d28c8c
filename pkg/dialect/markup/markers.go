package markup

import "bytes"

// A verdict is the answer to whether the text at an offset matches.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// A marker is a tag or token of the dialect in the text.
type marker struct {
	kind         markerKind
	qualified    bool // it has the prefix or token of the syntax
	unclosed     bool // its end is missing
	firstMissing bool // its first character is missing
	selfClosing  bool // for elements: <name/>
	start        int
	nameEnd      int  // end of its name
	glued        bool // no whitespace follows the name
	end          int  // end of the marker; for a tag with attributes, of its name
	name         string
}

// Lookahead limits for one marker.
const (
	maxBlanks      = 8   // before the end of a closing tag
	maxElementName = 128 // bytes of an element name
)

// matchAt reports whether a text is at an offset.
func (m *machine) matchAt(i int, text string) verdict {
	rest := m.text[i:]
	switch {
	case len(rest) >= len(text):
		if string(rest[:len(text)]) == text {
			return yes
		}
	case !m.final && string(rest) == text[:len(rest)]:
		return maybe
	}
	return no
}

// parseCutCloser parses a closing tag of the call without its first character.
func (m *machine) parseCutCloser(i int) (marker, verdict) {
	d := m.syntax.delimiters()
	if len(d.Close) < 2 || i == len(m.text) || m.text[i] != d.Close[1] {
		return marker{}, no
	}
	best := no
	for _, name := range m.syntax.CallTags {
		for _, name := range []string{name, m.syntax.Prefix + name} {
			closer := d.Close[1:] + name + d.End
			switch v := m.matchAt(i, closer); v {
			case yes:
				return marker{kind: callClose, qualified: m.qualified, firstMissing: true, start: i, end: i + len(closer)}, yes
			case maybe:
				best = maybe
			}
		}
	}
	return marker{}, best
}

// parseMarker parses the marker whose first byte is at an offset.
func (m *machine) parseMarker(i int) (marker, verdict) {
	m.steps++
	found, v := m.parseKnownMarker(i)
	if v == no && m.param.closesByName {
		found, v = m.parseNameCloser(i)
	}
	if v == no && m.syntax.ElementParams {
		found, v = m.parseElement(i)
		found = m.qualify(found, i, false)
	}
	return found, v
}

// parseKnownMarker parses a marker of the vocabulary.
func (m *machine) parseKnownMarker(i int) (marker, verdict) {
	open := no
	words := m.words.at(m.text[i:])
	for k := range words {
		w := &words[k]
		v := m.matchAt(i, w.text)
		if v == yes {
			var found marker
			if found, v = m.parseTail(w.kind, w.tail, i+len(w.text)); v == yes {
				return m.qualify(found, i, w.qualified), yes
			}
		}
		open = max(open, v)
	}
	return marker{}, open
}

// parseNameCloser parses a closing tag with the name of the parameter instead of its tag.
func (m *machine) parseNameCloser(i int) (marker, verdict) {
	found, v := m.parseNameCloserWith(i, "")
	if prefix := m.syntax.Prefix; v != yes && prefix != "" {
		dressed, other := m.parseNameCloserWith(i, prefix)
		return dressed, max(v, other)
	}
	return found, v
}

// parseNameCloserWith is [machine.parseNameCloser] with a prefix.
func (m *machine) parseNameCloserWith(i int, prefix string) (marker, verdict) {
	end, v := m.matchSequence(i, m.syntax.delimiters().Close, prefix, m.param.name.text)
	if v != yes {
		return marker{}, v
	}
	found, v := m.parseTail(elementClose, endTail, end)
	found = m.qualify(found, i, prefix != "")
	found.name = m.param.name.text
	return found, v
}

// matchSequence reports whether texts follow each other at an offset, and where they end.
func (m *machine) matchSequence(i int, texts ...string) (end int, v verdict) {
	for _, text := range texts {
		if v := m.matchAt(i, text); v != yes {
			return i, v
		}
		i += len(text)
	}
	return i, yes
}

// qualify sets the start of a marker, which includes a preceding token.
func (m *machine) qualify(found marker, i int, dressed bool) marker {
	found.start, found.qualified = i, dressed || m.syntax.Prefix == "" && m.syntax.Token == ""
	if token := m.syntax.Token; token != "" && bytes.HasSuffix(m.text[min(i, m.pos):i], []byte(token)) {
		found.start, found.qualified = i-len(token), true
	}
	return found
}

// parseTail parses the required end of a marker after its name, which ends at i.
func (m *machine) parseTail(k markerKind, t tail, i int) (marker, verdict) {
	found := marker{kind: k, nameEnd: i, end: i}
	switch t {
	case noTail:
		return found, yes
	case equalsTail, attrTail:
		v := m.nameEndsAt(i, t)
		if v == no && m.syntax.GluedAttr {
			return m.parseGluedTail(found)
		}
		return found, v
	}
	end, v := m.parseTagEnd(i)
	switch {
	case v == no && t == anyTail:
		end, v, found.unclosed = i, yes, true
	case v == no && t == optionalEndTail:
		end, v = i, m.isEndMissing(i)
		found.unclosed = v == yes
	}
	found.end = end
	return found, v
}

// nameEndsAt reports whether the name of an opening tag ends at an offset.
func (m *machine) nameEndsAt(i int, t tail) verdict {
	if i == len(m.text) {
		return m.maybeUnlessFinal()
	}
	c := m.text[i]
	if t == equalsTail {
		return verdictOf(c == '=')
	}
	if isSpace(c) || c == '/' {
		return yes
	}
	return m.matchAt(i, m.syntax.delimiters().End)
}

// byteLevelSpace is the space of byte-level tokenizers.
const byteLevelSpace = "\u0120"

// parseGluedTail parses an attribute directly after the name of an opening tag, or after a
// [byteLevelSpace].
func (m *machine) parseGluedTail(found marker) (marker, verdict) {
	open := no
	for _, blank := range []string{"", byteLevelSpace} {
		end, v := m.matchSequence(found.end, blank, m.syntax.NameAttr, "=")
		if v == yes {
			found.nameEnd = end - len(m.syntax.NameAttr) - len("=")
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
func (m *machine) maybeUnlessFinal() verdict {
	if m.final {
		return no
	}
	return maybe
}

// parseTagEnd parses the end of a tag without attributes, after optional whitespace.
func (m *machine) parseTagEnd(i int) (int, verdict) {
	stop := min(len(m.text), i+maxBlanks)
	for i < stop && isSpace(m.text[i]) {
		i++
	}
	end := m.syntax.delimiters().End
	v := m.matchAt(i, end)
	return i + len(end), v
}

// isEndMissing reports whether the end of a closing tag is missing at an offset: the line or
// text ends, or another marker begins.
func (m *machine) isEndMissing(i int) verdict {
	if i == len(m.text) {
		return verdictOf(m.final)
	}
	c := m.text[i]
	return verdictOf(c == '\n' || c == '\r' || c == m.syntax.delimiters().Open[0])
}

// parseElement parses a tag that is not in the vocabulary.
func (m *machine) parseElement(i int) (marker, verdict) {
	d := m.syntax.delimiters()
	found := marker{kind: elementClose}
	v := m.matchAt(i, d.Close)
	from := i + len(d.Close)
	if v != yes {
		found.kind, from = elementOpen, i+len(d.Open)
		if v = max(v, m.matchAt(i, d.Open)); v != yes {
			return marker{}, v
		}
	}
	end := from
	for end < len(m.text) && end-from < maxElementName && isNameByte(m.text[end]) {
		end++
	}
	m.steps += end - from
	if end == len(m.text) {
		return marker{}, m.maybeUnlessFinal()
	}
	if end == from || end-from == maxElementName {
		return marker{}, no
	}
	found.name, found.nameEnd = string(m.text[from:end]), end
	if found.kind == elementOpen && m.text[end] == '/' {
		found.selfClosing = true
		end++
	}
	found.end, v = m.parseTagEnd(end)
	return found, v
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isNameByte reports whether a byte can be part of an element name.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
}
