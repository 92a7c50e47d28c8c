package markup

import "bytes"

// beginParam begins a parameter at its marker.
func (m *machine) beginParam(found marker) bool {
	m.param = param{}
	if m.syntax.KeyTag != "" {
		return m.enter(inKey, found.end)
	}
	m.beginTag(found)
	m.state = inTag
	return true
}

// enterParam continues after the opening tag of a parameter.
func (m *machine) enterParam(at int, closed bool) bool {
	m.hasParams = true
	m.param.start = at
	if closed {
		m.addParam(at, at)
		return m.enter(inBody, at)
	}
	return m.enter(inValue, at)
}

// readKey reads a parameter name that has its own tag.
func (m *machine) readKey() bool {
	for {
		found, ok := m.scanToMarker()
		if !ok {
			return false
		}
		if !m.isOwnMarker(found) {
			continue
		}
		switch found.kind {
		case keyClose, valueOpen:
			m.param.name = m.newParamName(string(bytes.TrimSpace(m.text[m.pos:found.start])), m.pos, found.start)
			m.noteName(m.param.name)
			if found.kind == keyClose {
				return m.enter(afterKey, found.end)
			}
			m.noteKeyCloser(found)
			return m.enter(afterKey, found.start)
		case paramOpen, callClose, wrapperClose, callOpen:
			m.noteNoValue(m.pos, found.start)
			return m.enter(inBody, found.start)
		}
	}
}

// readAfterKey reads the tag before a value that has its own tag.
func (m *machine) readAfterKey() bool {
	found, ok := m.nextOwnMarker()
	if !ok {
		return false
	}
	switch found.kind {
	case valueOpen:
		return m.enterParam(found.end, false)
	case paramOpen, callClose, wrapperClose, callOpen:
		m.noteNoValue(m.param.name.start, m.pos)
		return m.enter(inBody, m.pos)
	}
	if m.lookahead == len(m.text) {
		return false
	}
	m.param.openerMissing = true
	return m.enterParam(m.pos, false)
}

// readValue scans to the marker that closes the value.
func (m *machine) readValue() bool {
	if m.syntax.CDATA && m.lookahead == m.param.start {
		if v := m.tryCDATA(); v != no {
			return v == yes
		}
	}
	found, ok := m.scanToMarker()
	if !ok {
		return false
	}
	return m.handleValueMarker(found)
}

// tryCDATA enters a CDATA section at the start of a value.
func (m *machine) tryCDATA() verdict {
	i := m.lookahead
	for i < len(m.text) && i-m.lookahead < maxBlanks && isSpace(m.text[i]) {
		i++
	}
	v := m.matchAt(i, cdataOpen)
	if v == yes {
		m.state, m.lookahead = inCDATA, i+len(cdataOpen)
	}
	return v
}

// readCDATA scans to the end of a CDATA section.
func (m *machine) readCDATA() bool {
	i := bytes.Index(m.text[m.lookahead:], []byte(cdataClose))
	if i < 0 {
		end := max(m.lookahead, len(m.text)-len(cdataClose)+1)
		m.steps += end - m.lookahead
		m.lookahead = end
		return false
	}
	m.steps += i
	m.state, m.lookahead = inValue, m.lookahead+i+len(cdataClose)
	return true
}

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

// handleValueMarker decides whether a marker in a value ends it.
func (m *machine) handleValueMarker(found marker) bool {
	p := &m.param
	own := m.isParamCloser(found)
	switch {
	case !m.isOwnMarker(found):
		if own || found.kind == paramClose && !p.isElement {
			return m.beginCloserCheck(found)
		}
	case found.kind == elementOpen && p.isElement && found.name == p.name.text && !found.selfClosing:
		p.depth++
	case found.kind == paramOpen && p.isContainer:
		return m.countNestedParam(found)
	case own && p.depth > 0:
		p.depth--
	case m.firstCloserWins:
		if own {
			return m.closeValue(found.start, found.end)
		}
	case own, m.isCloserWithParamName(found), found.kind == callClose, found.kind == wrapperClose, found.kind == groupClose:
		return m.beginCloserCheck(found)
	case found.kind == callOpen:
		m.addMarkerToValue(found)
	case found.kind == paramOpen:
		return m.resolveParamOpener(found)
	}
	return true
}

// countNestedParam counts a nested value, unless its tag closes itself.
func (m *machine) countNestedParam(found marker) bool {
	ahead := m.newLookahead(found)
	ahead.beginTag(found)
	whole := ahead.scanTag()
	m.steps += ahead.steps
	if !whole && !ahead.final {
		m.lookahead = found.start
		return false
	}
	if !whole || !ahead.tag.selfClosing {
		m.param.depth++
	}
	return true
}

// beginCloserCheck begins to inspect the text after a marker that may close the value.
func (m *machine) beginCloserCheck(found marker) bool {
	m.closer = found
	m.state, m.lookahead = afterCloser, found.end
	return true
}

// confirmCloser decides by the following text whether the marker closes the value.
func (m *machine) confirmCloser() bool {
	at := m.lookahead
	follows, ok := m.nextMarker()
	if !ok {
		return false
	}
	m.following = peeked{at, m.lookahead, follows}
	if !m.isOwnMarker(follows) {
		follows.kind = noMarker
	}
	atEnd := follows.kind == noMarker && m.isTruncatedMarker()
	own := m.isParamCloser(m.closer) && m.isOwnMarker(m.closer)
	if atEnd || m.canFollowCloser(own, follows.kind) {
		inner, v := m.isInnerCloser(own, follows)
		if v == maybe {
			return false
		}
		if !inner {
			return m.endValueAtCloser(own)
		}
	}
	m.treatCloserAsText(own, follows)
	return true
}

// isInnerCloser reports whether the marker closes a parameter inside the value: one has begun
// there, and the next one is not a parameter of the tool.
func (m *machine) isInnerCloser(own bool, follows marker) (bool, verdict) {
	if !own || m.param.openParams == 0 || follows.kind != paramOpen {
		return false, no
	}
	key, v := m.peekParamName(follows)
	if v == maybe {
		return false, maybe
	}
	has, knows := m.shape.HasDeclaredProperty(key)
	m.ambiguous = m.ambiguous || !knows
	return knows && !has, yes
}

// treatCloserAsText makes the marker a part of the value.
func (m *machine) treatCloserAsText(own bool, follows marker) {
	p := &m.param
	switch {
	case m.closer.kind == callClose && p.openCalls > 0:
		p.openCalls--
	case own && p.openParams > 0:
		p.openParams--
	case own:
		p.closerRejected = true
		m.ambiguous = m.ambiguous || m.isParamCloser(follows) // two in a row: one is a slip, or text
	}
	if m.closer.kind != elementClose {
		m.addMarkerToValue(m.closer)
	}
	m.state, m.lookahead = inValue, m.closer.end
}

// canFollowCloser reports whether a marker is expected after the one that may close the value.
func (m *machine) canFollowCloser(own bool, follows markerKind) bool {
	switch follows {
	case wrapperClose, wrapperOpen, callOpen:
		return true
	case paramOpen, elementOpen, callClose, group, groupClose:
		return own || m.closer.kind != callClose && m.closer.kind != wrapperClose
	}
	return false
}

// endValueAtCloser ends the value at the marker.
func (m *machine) endValueAtCloser(own bool) bool {
	p, next := &m.param, m.closer.end
	if !own {
		p.wrongCloser = true
		m.noteWrongCloser(m.closer)
		if m.closer.kind == callClose || m.closer.kind == wrapperClose {
			next = m.closer.start
		}
	} else if m.closer.unclosed {
		m.noteMissingEnd(m.closer.start, m.closer.end, m.closer.end, m.syntax.delimiters().End)
	}
	return m.closeValue(m.closer.start, next)
}

// closeValue ends the value at an offset and continues at another.
func (m *machine) closeValue(end, next int) bool {
	m.ambiguous = m.ambiguous || m.param.wrongCloser || m.param.openCalls > 0
	m.addParam(m.param.start, end)
	return m.enter(inBody, next)
}

// addMarkerToValue makes a marker a part of the value.
func (m *machine) addMarkerToValue(found marker) {
	p := &m.param
	if p.markerCount++; p.markerCount == 1 {
		p.firstMarker = found
	}
	switch found.kind {
	case callOpen:
		p.openCalls++
	case paramOpen:
		p.openParams++
	}
}

// resolveParamOpener decides whether the opening tag of a parameter in a value begins the next
// parameter after a missing closing tag.
func (m *machine) resolveParamOpener(found marker) bool {
	apart := m.syntax.KeyTag != "" || m.isLineStart(found.start)
	if !apart && !m.param.closerRejected {
		m.addMarkerToValue(found)
		return true
	}
	key, v := m.peekParamName(found)
	if v == maybe {
		m.lookahead = found.start // the search continues there
		return false
	}
	has, knows := m.shape.HasDeclaredProperty(key)
	if v == no || knows && !has {
		m.addMarkerToValue(found)
		return true
	}
	if !apart { // it begins the next and text is between the two, or all of it is the value
		m.ambiguous = true
		m.addMarkerToValue(found)
		return true
	}
	m.param.wrongCloser = true
	m.noteWrongCloser(found)
	return m.closeValue(found.start, found.start)
}

// isLineStart reports whether only whitespace separates an offset from the start of the line or
// value.
func (l *lexer) isLineStart(i int) bool {
	for i > l.param.start && (l.text[i-1] == ' ' || l.text[i-1] == '\t') {
		i--
		l.steps++
	}
	return i == l.param.start || l.text[i-1] == '\n'
}
