package markup

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A state says what a machine reads next.
type state int

const (
	opening  state = iota // the opening tag of the call
	inTag                 // the attributes of an opening tag
	inName                // the name of the tool, as text
	inBody                // what stands between parameters
	inJunk                // what should not stand there
	inObject              // arguments that are one JSON object
	inKey                 // the name of a parameter, as text
	afterKey              // the tag of its value
	inValue
	inCDATA
	behind // what stands behind a mark that may close the value
	ended
)

// A machine reads one call from a text that grows. What it has kept is the whole
// text, and it never looks back but to where the current mark begins.
type machine struct {
	syntax *Syntax
	words  *vocabulary
	tools  Toolset
	text   []byte
	base   int
	whole  bool // nothing follows the text
	naive  bool // the first closing mark closes, and everything else is text
	inside bool // the text ends where a mark behind it ends the call
	out    *output

	state   state
	at      int // up to here it is read
	look    int // and up to here there is nothing of interest
	steps   int
	start   int
	end     int
	none    bool // there is no call
	endless bool // for its opening tag has no end
	cut     bool // the text has ended inside it
	half    bool // and inside a parameter, or before the first

	dressed bool // marks have the prefix or token, or they are none
	shape   *Shape
	tag     tag
	room    []attribute // of the latest tag
	json    *literal.Scanner
	tried   bool // the arguments may be one object, which was looked for
	object  bool // and they are
	any     bool // a parameter was read
	param   param
	closer  mark // the mark that may close the value
	behind  peek // what stands behind it
	doubt   bool // there may be another reading
}

// A param is the parameter that is being read.
type param struct {
	name    name
	closes  bool // a mark with its name, as if that were its tag, can close it
	attrs   []attribute
	element bool // its tag is its name
	holds   bool // its value is tags of parameters
	start   int  // of the value
	wrong   bool // it was closed by a mark of something else
	opener  bool // the mark in front of the value is missing
	marks   int  // marks in the value
	first   mark // the first of them
	refused bool // one of them could have closed it
	calls   int  // calls that begin in the value and do not end in it
	params  int  // and parameters
	depth   int  // tags like its own that are open in the value
}

// run reads as much as is possible.
func (m *machine) run() {
	for m.state != ended && m.step() {
		m.steps++
	}
	if m.whole && m.state != ended {
		m.endOfText()
	}
}

// step reads the next thing. It reports false if that needs more text.
func (m *machine) step() bool {
	switch m.state {
	case opening:
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
	return m.readBehind()
}

// to goes on at an offset in another state.
func (m *machine) to(s state, at int) bool {
	m.state, m.at, m.look = s, at, at
	return true
}

// endOfText decides what the end of the text means.
func (m *machine) endOfText() {
	switch {
	case m.state == opening, m.state == inName && m.at == len(m.text):
		m.noCall()
		return
	case m.state == inBody && m.inside:
		m.noteNoCloser(diag.Safe)
	default:
		m.cut, m.half = true, m.state != inBody || !m.any && !m.object
		m.noteCut()
	}
	m.finish(len(m.text))
}

// cutOff reports whether the text has ended, and nothing stands behind the blanks
// before its end but the beginning of a mark.
func (m *machine) cutOff() bool {
	if !m.whole {
		return false
	}
	ahead := machine{syntax: m.syntax, words: m.words, param: m.param, text: m.text, at: m.at, look: m.look}
	_, ok := ahead.next()
	m.steps += ahead.steps
	return !ok
}

func (m *machine) noCall() {
	m.none = true
	m.finish(0)
}

// Bounds of what stands before the arguments of a call, in bytes.
const (
	longestName    = 256
	longestOpening = 1024 // the opening tag
)

// noEnd gives up a call whose opening tag has no end.
func (m *machine) noEnd() bool {
	m.endless = true
	m.noCall()
	return true
}

func (m *machine) finish(end int) bool {
	m.end = end
	return m.to(ended, end)
}

// skipBlanks looks past blanks, and past the token where a mark follows. It
// reports false if more text is needed to say what stands there.
func (m *machine) skipBlanks() bool {
	for m.look < len(m.text) {
		n := 0
		switch c := m.text[m.look]; {
		case isSpace(c):
			n = 1
		case c == '\\' && m.syntax.Backslash:
			v := m.prefixed(m.look, `\n`)
			if v == maybe {
				return false
			}
			n = 2 * int(v) / int(yes)
		}
		if n == 0 {
			return true
		}
		m.look += n
		m.steps += n
	}
	return m.whole
}

// A peek is the mark that was found behind an offset.
type peek struct {
	at, look int // the offset, and that behind the blanks there
	mark
}

// next returns the mark that stands behind blanks. It reports false if more text
// is needed. The kind is noMark where there is something else, or nothing.
func (m *machine) next() (mark, bool) {
	if m.behind.at == m.look && m.look > 0 {
		m.look = m.behind.look
		return m.behind.mark, true
	}
	if !m.skipBlanks() {
		return mark{}, false
	}
	i := m.look
	if i == len(m.text) {
		return mark{start: i}, true
	}
	if token := m.syntax.Token; token != "" {
		switch m.prefixed(i, token) {
		case maybe:
			return mark{}, false
		case yes:
			i += len(token)
		}
	}
	found, v := m.mark(i)
	if v == no {
		found, v = m.cutCloser(i)
	}
	if v == no {
		found = mark{start: m.look}
	}
	return found, v != maybe
}

// mine reports whether a mark counts as one of this call.
func (m *machine) mine(found mark) bool { return found.dressed || !m.dressed }

// nextMine is [machine.next], where only marks of this call count.
func (m *machine) nextMine() (mark, bool) {
	found, ok := m.next()
	if !m.mine(found) {
		found.kind = noMark
	}
	return found, ok
}

// readOpening reads the start of the opening tag of the call.
func (m *machine) readOpening() bool {
	found, ok := m.next()
	if !ok {
		return false
	}
	if found.kind != callOpen {
		m.noCall()
		return true
	}
	m.start, m.dressed = found.start, found.dressed
	if !found.dressed {
		m.noteUndressed(found)
	}
	if m.syntax.Name == InText {
		return m.to(inName, found.end)
	}
	m.beginTag(found)
	return true
}

// openedCall goes on behind the opening tag of the call.
func (m *machine) openedCall(at int, closed bool) bool {
	if m.none {
		return true
	}
	if closed {
		return m.finish(at)
	}
	return m.to(inBody, at)
}

// setTool takes the name of the tool.
func (m *machine) setTool(a attribute) {
	n := m.toolName(a.value, a.start, a.end)
	n.noisy = n.noisy || a.noise
	switch more := a.name == InTag && m.tools[n.text] == nil && strings.Contains(n.text, "="); {
	case n.text == "":
		m.noCall()
		return
	case more || len(n.text) > longestName:
		m.fault(diag.CallMember, n.start, n.end, "%s is no name of a tool", excerpt(n.text))
		return
	}
	m.shape = m.tools[n.text]
	m.noteName(n)
	if m.out != nil {
		m.out.name, m.out.named = n.text, stretch{n.start, n.end}
		if i := bytes.Index(m.text[n.start:n.end], []byte(n.text)); i >= 0 {
			m.out.named = stretch{n.start + i, n.start + i + len(n.text)}
		}
	}
}

// readName reads the name of a tool that is text.
func (m *machine) readName() bool {
	for ; m.look < len(m.text); m.look++ {
		if m.look-m.start > longestOpening {
			return m.noEnd()
		}
		m.steps++
		switch c := m.text[m.look]; {
		case isSpace(c) && m.look == m.at: // in front of the name
			m.at++
		case c == '\n', c == '\r', c == '{' && m.syntax.Bare:
			return m.named(m.look)
		case c == '\\' && m.syntax.Backslash:
			if v := m.prefixed(m.look, `\n`); v != no {
				return v == yes && m.named(m.look)
			}
		case c == m.syntax.delimiters().Open[0]:
			found, v := m.mark(m.look)
			if v != no {
				return v == yes && m.named(found.start)
			}
		}
	}
	return false
}

// named takes the name of a tool that is text and ends at an offset.
func (m *machine) named(end int) bool {
	start := m.at
	if start < end && (m.text[start] == '{' || m.text[start] == '[') { // JSON, which is another grammar
		m.noCall()
		return true
	}
	m.setTool(attribute{value: string(bytes.TrimRight(m.text[start:end], " \t\r\n")), start: start, end: end})
	return m.openedCall(end, false)
}

// readBody reads what stands between parameters.
func (m *machine) readBody() bool {
	found, ok := m.nextMine()
	if !ok {
		return false
	}
	if found.open && found.end == len(m.text) && !m.mayStop(found) {
		return false
	}
	switch found.kind {
	case callClose:
		if found.open {
			m.noteOpenEnd(found.start, found.end, found.end, m.syntax.delimiters().End)
		}
		if found.cut {
			m.noteCutCloser(found)
		}
		return m.finish(found.end)
	case paramOpen:
		return m.openParam(found)
	case elementOpen:
		m.param = param{name: name{text: found.name, start: found.start, end: found.nameEnd}, element: true}
		return m.openedParam(found.end, found.slash)
	case callOpen, outerOpen, outerClose:
		fix := diag.Unsafe
		if found.kind == outerClose {
			fix = diag.Safe
		}
		m.noteNoCloser(fix)
		return m.finish(m.at)
	case group, groupClose, nameEnd:
		return m.to(inBody, found.end)
	case paramClose, elementClose, keyClose:
		m.noteStray(found)
		return m.to(inBody, found.end)
	}
	if m.cutOff() {
		return false
	}
	if m.text[m.look] == '{' && m.syntax.Bare && !m.any && !m.tried {
		m.tried = true
		m.json = literal.NewJSON(literal.Options{})
		m.json.ExpectValue()
		return m.to(inObject, m.look)
	}
	m.at, m.state = m.look, inJunk
	return true
}

// mayStop reports whether the text can end behind a mark that lacks its end. Where it
// has been cut off there, the mark may be the beginning of another one.
func (m *machine) mayStop(found mark) bool {
	return m.inside || m.syntax.Stopped && found.kind == callClose && !m.param.wrong
}

// readJunk reads what should not stand between parameters, up to the next mark.
func (m *machine) readJunk() bool {
	for {
		found, ok := m.nextMark()
		if !ok {
			return false
		}
		if m.mine(found) && found.kind != valueOpen {
			m.noteJunk(m.at, found.start)
			return m.to(inBody, found.start)
		}
	}
}

// nextMark looks for the next mark, and past it. It reports false if there is
// none yet; what may be the start of one is kept back.
func (m *machine) nextMark() (mark, bool) {
	first := m.syntax.delimiters().Open[0]
	for {
		i := bytes.IndexByte(m.text[m.look:], first)
		if i < 0 {
			m.steps += len(m.text) - m.look
			m.look = len(m.text)
			return mark{}, false
		}
		m.steps += i + 1
		m.look += i
		found, v := m.mark(m.look)
		if v == maybe {
			return mark{}, false
		}
		m.look++
		if v == yes {
			return found, true
		}
	}
}

// readObject reads arguments that are one JSON object.
func (m *machine) readObject() bool {
	n, state := m.json.Write(m.text[m.look:])
	m.look += n
	m.steps += n
	if state == literal.More {
		return false
	}
	m.json = nil
	if state != literal.Done {
		return m.to(inJunk, m.at)
	}
	m.object = true
	m.takeObject(m.at, m.look)
	return m.to(inBody, m.look)
}
