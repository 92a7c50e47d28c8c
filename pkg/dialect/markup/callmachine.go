package markup

import (
	"bytes"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// finishCall returns the finished call. If its tags can be read in two ways it reads the call
// again to get the alternative.
func (m *machine) finishCall() result {
	var r result
	m.out.ambiguous = m.out.ambiguous || m.ambiguous
	r.call, r.nameSpan = m.buildCall(), textRange{m.base + m.out.nameSpan.start, m.base + m.out.nameSpan.end}
	if m.ambiguous && r.call.Status == chat.StatusAmbiguous {
		other := m.reparseFirstCloser()
		r.steps = other.steps
		other.out.ambiguous = true
		r.alternatives = []chat.Call{r.call}
		if call := other.buildCall(); call.Status == chat.StatusAmbiguous && string(call.Arguments) != string(r.call.Arguments) {
			r.alternatives = append(r.alternatives, call)
		}
		m.escalateAmbiguity()
	}
	diag.Sort(m.out.findings)
	r.findings = m.out.findings
	return r
}

// reparseFirstCloser reads the call again with the simple rule that the first closing tag closes
// a value. It ends at the same offset.
func (m *machine) reparseFirstCloser() *machine {
	again := &machine{
		builder:         builder{lexer: lexer{syntax: m.syntax, words: m.words, text: m.text[:m.end], final: true}, tools: m.tools, base: m.base, out: &output{}},
		firstCloserWins: true, endsAtCallEnd: true,
	}
	again.run()
	return again
}

// A state is the element that a machine reads next.
type state int

const (
	inOpening state = iota // the opening tag of the call
	inTag                  // the attributes of an opening tag
	inName                 // the tool name, as text
	inBody                 // between parameters
	inJunk                 // in unexpected text
	inObject               // in arguments that are one JSON object
	inKey                  // the name of a parameter, as text
	afterKey               // before the tag of its value
	inValue
	inCDATA
	afterCloser // after a marker that may close the value
	atEnd
)

// A machine reads one call from a growing text. It keeps the whole text and never goes back
// before the current marker.
type machine struct {
	builder
	state           state
	firstCloserWins bool // the first closing tag closes a value, and everything else is text
	endsAtCallEnd   bool // the text ends before the tag that ends the call
	notCall         bool // there is no call
	openingTooLong  bool // because its opening tag has no end
	json            *literal.Scanner
	triedObject     bool   // the arguments were checked for a JSON object
	closer          marker // the marker that may close the value
}

// run reads as much of the text as possible.
func (m *machine) run() {
	for m.state != atEnd && m.step() {
		m.steps++
	}
	if m.final && m.state != atEnd {
		m.handleTextEnd()
	}
}

// step reads the next element. It returns false if it needs more text.
func (m *machine) step() bool {
	switch m.state {
	case inOpening:
		return m.readOpening()
	case inTag:
		return m.readTag()
	case inName:
		return m.readName()
	case inBody:
		return m.readBody()
	case inJunk:
		return m.readJunk()
	case inObject:
		return m.readObject()
	case inKey:
		return m.readKey()
	case afterKey:
		return m.readAfterKey()
	case inValue:
		return m.readValue()
	case inCDATA:
		return m.readCDATA()
	}
	return m.confirmCloser()
}

// enter switches to a state at an offset.
func (m *machine) enter(s state, at int) bool {
	m.state, m.pos, m.lookahead = s, at, at
	return true
}

// handleTextEnd ends the call at the end of the text.
func (m *machine) handleTextEnd() {
	switch {
	case m.state == inOpening, m.state == inName && m.pos == len(m.text):
		m.rejectCall()
		return
	case m.state == inBody && m.endsAtCallEnd:
		m.noteMissingCloser(diag.Safe)
	default:
		m.truncated, m.incomplete = true, m.state != inBody || !m.hasParams && !m.hasObject
		m.noteTruncated()
	}
	m.endAt(len(m.text))
}

func (m *machine) rejectCall() {
	m.notCall = true
	m.endAt(0)
}

// Limits of the text before the arguments of a call, in bytes.
const (
	maxNameLen    = 256
	maxOpeningTag = 1024 // of the opening tag
)

// rejectLongOpening gives up a call whose opening tag has no end.
func (m *machine) rejectLongOpening() bool {
	m.openingTooLong = true
	m.rejectCall()
	return true
}

func (m *machine) endAt(end int) bool {
	m.end = end
	return m.enter(atEnd, end)
}

// readOpening reads the start of the call's opening tag.
func (m *machine) readOpening() bool {
	found, ok := m.nextMarker()
	if !ok {
		return false
	}
	if found.kind != callOpen {
		m.rejectCall()
		return true
	}
	m.start, m.qualified = found.start, found.qualified
	if !found.qualified {
		m.noteMissingPrefix(found)
	}
	if m.syntax.NameAttr == InText {
		return m.enter(inName, found.end)
	}
	m.beginTag(found)
	m.state = inTag
	return true
}

// enterCall continues after the opening tag of the call.
func (m *machine) enterCall(at int, closed bool) bool {
	if m.notCall {
		return true
	}
	if closed {
		return m.endAt(at)
	}
	return m.enter(inBody, at)
}

// setTool sets the tool name.
func (m *machine) setTool(a attribute) {
	n := m.newToolName(a.value, a.start, a.end)
	n.irregular = n.irregular || a.irregular
	switch more := a.name == InTag && m.tools[n.text] == nil && strings.Contains(n.text, "="); {
	case n.text == "":
		m.rejectCall()
		return
	case more || len(n.text) > maxNameLen:
		m.noteError(diag.CallMember, n.start, n.end, "invalid tool name %s", excerpt(n.text))
		return
	}
	m.shape = m.tools.Shape(n.text)
	m.noteName(n)
	if m.out != nil {
		m.out.name, m.out.nameSpan = n.text, textRange{n.start, n.end}
		if i := bytes.Index(m.text[n.start:n.end], []byte(n.text)); i >= 0 {
			m.out.nameSpan = textRange{n.start + i, n.start + i + len(n.text)}
		}
	}
}

// readName reads a tool name that is text.
func (m *machine) readName() bool {
	for ; m.lookahead < len(m.text); m.lookahead++ {
		if m.lookahead-m.start > maxOpeningTag {
			return m.rejectLongOpening()
		}
		m.steps++
		switch c := m.text[m.lookahead]; {
		case isSpace(c) && m.lookahead == m.pos: // before the name
			m.pos++
		case c == '\n', c == '\r', c == '{' && m.syntax.ObjectArgs:
			return m.setTextName(m.lookahead)
		case c == '\\' && m.syntax.EscapedNewline:
			if v := m.matchAt(m.lookahead, `\n`); v != no {
				return v == yes && m.setTextName(m.lookahead)
			}
		case c == m.syntax.delimiters().Open[0]:
			found, v := m.parseMarker(m.lookahead)
			if v != no {
				return v == yes && m.setTextName(found.start)
			}
		}
	}
	return false
}

// setTextName sets the tool name that is text up to an offset.
func (m *machine) setTextName(end int) bool {
	start := m.pos
	if start < end && (m.text[start] == '{' || m.text[start] == '[') { // JSON belongs to another grammar
		m.rejectCall()
		return true
	}
	m.setTool(attribute{value: string(bytes.TrimRight(m.text[start:end], " \t\r\n")), start: start, end: end})
	return m.enterCall(end, false)
}

// readBody reads the next marker between parameters.
func (m *machine) readBody() bool {
	found, ok := m.nextOwnMarker()
	if !ok {
		return false
	}
	if found.unclosed && found.end == len(m.text) && !m.canBeUnclosedAtEnd(found) {
		return false
	}
	switch found.kind {
	case callClose:
		if found.unclosed {
			m.noteMissingEnd(found.start, found.end, found.end, m.syntax.delimiters().End)
		}
		if found.firstMissing {
			m.noteCloserWithoutFirstByte(found)
		}
		return m.endAt(found.end)
	case paramOpen:
		return m.beginParam(found)
	case elementOpen:
		m.param = param{name: name{text: found.name, start: found.start, end: found.nameEnd}, isElement: true}
		return m.enterParam(found.end, found.selfClosing)
	case callOpen, wrapperOpen, wrapperClose:
		fix := diag.Unsafe
		if found.kind == wrapperClose {
			fix = diag.Safe
		}
		m.noteMissingCloser(fix)
		return m.endAt(m.pos)
	case group, groupClose, nameEnd:
		return m.enter(inBody, found.end)
	case paramClose, elementClose, keyClose:
		m.noteStray(found)
		return m.enter(inBody, found.end)
	}
	if m.isTruncatedMarker() {
		return false
	}
	if m.text[m.lookahead] == '{' && m.syntax.ObjectArgs && !m.hasParams && !m.triedObject {
		m.triedObject = true
		m.json = literal.NewJSON(literal.Options{})
		m.json.ExpectValue()
		return m.enter(inObject, m.lookahead)
	}
	m.pos, m.state = m.lookahead, inJunk
	return true
}

// canBeUnclosedAtEnd reports whether the text can end after a marker without its end. If the text is
// truncated there, the marker may be the start of another one.
func (m *machine) canBeUnclosedAtEnd(found marker) bool {
	return m.endsAtCallEnd || m.syntax.OptionalEnd && found.kind == callClose && !m.param.wrongCloser
}

// readJunk skips unexpected text between parameters up to the next marker.
func (m *machine) readJunk() bool {
	for {
		found, ok := m.scanToMarker()
		if !ok {
			return false
		}
		if m.isOwnMarker(found) && found.kind != valueOpen {
			m.noteJunk(m.pos, found.start)
			return m.enter(inBody, found.start)
		}
	}
}

// readObject reads arguments that are one JSON object.
func (m *machine) readObject() bool {
	n, state := m.json.Write(m.text[m.lookahead:])
	m.lookahead += n
	m.steps += n
	if state == literal.NeedMore {
		return false
	}
	m.json = nil
	if state != literal.Done {
		return m.enter(inJunk, m.pos)
	}
	m.hasObject = true
	m.addObject(m.pos, m.lookahead)
	return m.enter(inBody, m.lookahead)
}

// readTag reads an opening tag that contains a name.
func (m *machine) readTag() bool {
	whole := m.scanTag()
	t := &m.tag
	if t.marker.kind == callOpen && m.lookahead-m.start > maxOpeningTag {
		return m.rejectLongOpening()
	}
	if !whole {
		return false
	}
	if t.marker.kind == callOpen {
		a, others := m.splitNameAttribute(m.syntax.NameAttr)
		m.setTool(a)
		m.setID(others)
		m.noteTagFaults(others)
		return m.enterCall(t.next, t.selfClosing)
	}
	m.param.name = m.readParamName()
	m.noteName(m.param.name)
	m.noteTagFaults(m.param.attrs)
	if _, hasValue := findAttribute(m.param.attrs, m.syntax.ValueAttr); t.selfClosing && m.syntax.ValueAttr != "" && !hasValue {
		m.noteNoValue(t.marker.start, t.next)
	}
	m.param.closesByName = m.canCloseByName(m.param.name.text)
	m.param.isContainer = m.syntax.formOf(m.param.attrs).isContainer()
	return m.enterParam(t.next, t.selfClosing)
}
