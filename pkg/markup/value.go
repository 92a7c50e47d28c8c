package markup

import "bytes"

// openParam begins a parameter at its mark.
func (m *machine) openParam(found mark) bool {
	m.param = param{}
	if m.syntax.KeyTag != "" {
		return m.to(inKey, found.end)
	}
	m.beginTag(found)
	return true
}

// openedParam goes on behind the opening tag of a parameter.
func (m *machine) openedParam(at int, closed bool) bool {
	m.any = true
	m.param.start = at
	if closed {
		m.takeParam(at, at)
		return m.to(inBody, at)
	}
	return m.to(inValue, at)
}

// readKey reads the name of a parameter that stands in a tag of its own.
func (m *machine) readKey() bool {
	for {
		found, ok := m.nextMark()
		if !ok {
			return false
		}
		if !m.mine(found) {
			continue
		}
		switch found.kind {
		case keyClose, valueOpen:
			m.param.name = m.paramName(string(bytes.TrimSpace(m.text[m.at:found.start])), m.at, found.start)
			m.noteName(m.param.name)
			if found.kind == keyClose {
				return m.to(afterKey, found.end)
			}
			m.noteKeyCloser(found)
			return m.to(afterKey, found.start)
		case paramOpen, callClose, outerClose, callOpen:
			m.noteNoValue(m.at, found.start)
			return m.to(inBody, found.start)
		}
	}
}

// readAfterKey reads the mark in front of a value that has a tag of its own.
func (m *machine) readAfterKey() bool {
	found, ok := m.nextMine()
	if !ok {
		return false
	}
	switch found.kind {
	case valueOpen:
		return m.openedParam(found.end, false)
	case paramOpen, callClose, outerClose, callOpen:
		m.noteNoValue(m.param.name.start, m.at)
		return m.to(inBody, m.at)
	}
	if m.look == len(m.text) {
		return false
	}
	m.param.opener = true
	return m.openedParam(m.at, false)
}

// readValue looks for the mark that closes the value.
func (m *machine) readValue() bool {
	if m.syntax.CDATA && m.look == m.param.start {
		if v := m.beginsCDATA(); v != no {
			return v == yes
		}
	}
	found, ok := m.nextMark()
	if !ok {
		return false
	}
	return m.inValue(found)
}

// beginsCDATA looks for a CDATA section at the start of a value, and goes on in it.
func (m *machine) beginsCDATA() verdict {
	i := m.look
	for i < len(m.text) && i-m.look < mostBlanks && isSpace(m.text[i]) {
		i++
	}
	v := m.prefixed(i, cdataOpen)
	if v == yes {
		m.state, m.look = inCDATA, i+len(cdataOpen)
	}
	return v
}

// readCDATA looks for the end of a CDATA section.
func (m *machine) readCDATA() bool {
	i := bytes.Index(m.text[m.look:], []byte(cdataClose))
	if i < 0 {
		end := max(m.look, len(m.text)-len(cdataClose)+1)
		m.steps += end - m.look
		m.look = end
		return false
	}
	m.steps += i
	m.state, m.look = inValue, m.look+i+len(cdataClose)
	return true
}

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

// inValue decides what a mark in a value means.
func (m *machine) inValue(found mark) bool {
	p := &m.param
	own := m.closes(found)
	switch {
	case !m.mine(found):
		if own || found.kind == paramClose && !p.element {
			return m.mayClose(found)
		}
	case found.kind == elementOpen && p.element && found.name == p.name.text && !found.slash:
		p.depth++
	case found.kind == paramOpen && p.holds:
		return m.opensHeld(found)
	case own && p.depth > 0:
		p.depth--
	case m.naive:
		if own {
			return m.closeValue(found.start, found.end)
		}
	case own, m.closesName(found), found.kind == callClose, found.kind == outerClose, found.kind == groupClose:
		return m.mayClose(found)
	case found.kind == callOpen:
		m.markIn(found)
	case found.kind == paramOpen:
		return m.beginsNext(found)
	}
	return true
}

// opensHeld counts a value in a value, which its tag can close itself.
func (m *machine) opensHeld(found mark) bool {
	ahead := m.ahead(found)
	ahead.beginTag(found)
	whole := ahead.scanTag()
	m.steps += ahead.steps
	if !whole && !ahead.whole {
		m.look = found.start
		return false
	}
	if !whole || !ahead.tag.slash {
		m.param.depth++
	}
	return true
}

// closes reports whether a mark is the one that closes the value.
func (m *machine) closes(found mark) bool {
	if m.param.element {
		return found.kind == elementClose && found.name == m.param.name.text
	}
	return found.kind == paramClose
}

// closesName reports whether a mark closes the name of the parameter, as if that
// were its tag.
func (m *machine) closesName(found mark) bool {
	return found.kind == elementClose && found.name == m.param.name.text
}

// mayClose goes on behind a mark that may close the value.
func (m *machine) mayClose(found mark) bool {
	m.closer = found
	m.state, m.look = behind, found.end
	return true
}

// readBehind decides by what follows whether a mark closes the value.
func (m *machine) readBehind() bool {
	at := m.look
	follows, ok := m.next()
	if !ok {
		return false
	}
	m.behind = peek{at, m.look, follows}
	if !m.mine(follows) {
		follows.kind = noMark
	}
	atEnd := follows.kind == noMark && m.cutOff()
	own := m.closes(m.closer) && m.mine(m.closer)
	if atEnd || m.goesOn(own, follows.kind) {
		inner, v := m.closesInner(own, follows)
		if v == maybe {
			return false
		}
		if !inner {
			return m.close(own)
		}
	}
	m.refuse(own, follows)
	return true
}

// closesInner reports whether a mark that may close the value closes a parameter
// in it: one begins there, and with what follows begins none that the tool has.
func (m *machine) closesInner(own bool, follows mark) (bool, verdict) {
	if !own || m.param.params == 0 || follows.kind != paramOpen {
		return false, no
	}
	key, v := m.keyAhead(follows)
	if v == maybe {
		return false, maybe
	}
	has, knows := m.shape.declares(key)
	m.doubt = m.doubt || !knows
	return knows && !has, yes
}

// refuse makes the mark that may close the value a part of it.
func (m *machine) refuse(own bool, follows mark) {
	p := &m.param
	switch {
	case m.closer.kind == callClose && p.calls > 0:
		p.calls--
	case own && p.params > 0:
		p.params--
	case own:
		p.refused = true
		m.doubt = m.doubt || m.closes(follows) // twice the same: one is a slip, or text
	}
	if m.closer.kind != elementClose {
		m.markIn(m.closer)
	}
	m.state, m.look = inValue, m.closer.end
}

// goesOn reports whether a call goes on as it should with a mark behind the one
// that may close the value.
func (m *machine) goesOn(own bool, follows kind) bool {
	switch follows {
	case outerClose, outerOpen, callOpen:
		return true
	case paramOpen, elementOpen, callClose, group, groupClose:
		return own || m.closer.kind != callClose && m.closer.kind != outerClose
	}
	return false
}

// close ends the value with the mark that may close it.
func (m *machine) close(own bool) bool {
	p, next := &m.param, m.closer.end
	if !own {
		p.wrong = true
		m.noteWrongCloser(m.closer)
		if m.closer.kind == callClose || m.closer.kind == outerClose {
			next = m.closer.start
		}
	} else if m.closer.open {
		m.noteOpenEnd(m.closer.start, m.closer.end, m.closer.end, m.syntax.delimiters().End)
	}
	return m.closeValue(m.closer.start, next)
}

// closeValue ends the value at an offset and goes on at another.
func (m *machine) closeValue(end, next int) bool {
	m.doubt = m.doubt || m.param.wrong || m.param.calls > 0
	m.takeParam(m.param.start, end)
	return m.to(inBody, next)
}

// markIn makes a mark a part of the value.
func (m *machine) markIn(found mark) {
	p := &m.param
	if p.marks++; p.marks == 1 {
		p.first = found
	}
	switch found.kind {
	case callOpen:
		p.calls++
	case paramOpen:
		p.params++
	}
}

// beginsNext decides whether the opening mark of a parameter in a value begins
// the next parameter, and the mark that closes the value is missing.
func (m *machine) beginsNext(found mark) bool {
	apart := m.syntax.KeyTag != "" || m.lineStart(found.start)
	if !apart && !m.param.refused {
		m.markIn(found)
		return true
	}
	key, v := m.keyAhead(found)
	if v == maybe {
		m.look = found.start // where the search goes on
		return false
	}
	has, knows := m.shape.declares(key)
	if v == no || knows && !has {
		m.markIn(found)
		return true
	}
	if !apart { // it begins the next, and text stands between the two, or all of it is the value
		m.doubt = true
		m.markIn(found)
		return true
	}
	m.param.wrong = true
	m.noteWrongCloser(found)
	return m.closeValue(found.start, found.start)
}

// lineStart reports whether only blanks stand between an offset and the start of
// the line or the value.
func (m *machine) lineStart(i int) bool {
	for i > m.param.start && (m.text[i-1] == ' ' || m.text[i-1] == '\t') {
		i--
		m.steps++
	}
	return i == m.param.start || m.text[i-1] == '\n'
}

// mostKey bounds the text in which the name of a parameter is looked for inside
// a value, in bytes.
const mostKey = 256

// keyAhead returns the name of the parameter that a mark in a value would begin.
func (m *machine) keyAhead(found mark) (string, verdict) {
	ahead := m.ahead(found)
	defer func() { m.steps += ahead.steps }()
	if m.syntax.KeyTag == "" {
		ahead.beginTag(found)
		if !ahead.scanTag() {
			return "", ahead.unknown()
		}
		return ahead.keyOf().text, yes
	}
	ahead.look = found.end
	closer, ok := ahead.nextMark()
	switch {
	case !ok:
		return "", ahead.unknown()
	case closer.kind != keyClose && closer.kind != valueOpen:
		return "", no
	}
	return string(bytes.TrimSpace(m.text[found.end:closer.start])), yes
}

// ahead returns a machine that reads behind a mark in a value, but not far.
func (m *machine) ahead(found mark) *machine {
	stop := min(len(m.text), found.end+mostKey)
	return &machine{syntax: m.syntax, words: m.words, text: m.text[:stop], whole: m.whole || stop-found.end == mostKey}
}
