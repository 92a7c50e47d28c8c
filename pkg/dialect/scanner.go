package dialect

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// An Event is something that a scanner has found. Exactly one field is set.
type Event struct {
	Content string        // a piece of the text outside calls
	Call    *chat.Call    // a call, complete or with a fault
	Finding *diag.Finding // with byte offsets, and the index of its call
}

// A Scanner reads a response while it arrives. What it finds does not depend on
// how the response is cut into pieces, only where content is cut does. It looks
// at every byte a bounded number of times, and keeps no more of the response
// than the current call, or what can still become one or the opening line of a
// fence.
type Scanner struct {
	dialect Dialect
	emit    func(Event)
	place   place
	at      int  // offset of the next byte
	last    byte // the byte before it
	calls   int  // found so far
	steps   int  // bytes and pieces looked at; tests count them

	held      []byte // bytes that are content, unless they belong to a frame
	heldAt    int    // where they begin
	lineBlank bool   // the line holds only blanks so far
	backtick  int    // offset of the next backtick or the end of the piece, if not passed
	tilde     int    // the same of tildes
	brace     int    // the same of opening braces
	matched   int    // how much of the word that decides has been read
	folded    bool   // its case differs
	opener    fence  // the run of fence characters that was read last
	foreign   fence  // the fence around the text that is not ours, if any
	frame     frame
	body      body     // reads the open frame, if any
	key       firstKey // the beginning of an object in the text
	aside     aside    // the object in the text that is not ours
	outside   outside
	begun     bool // something else than blanks has been read
	ids       idSet
	ended     bool // the call that ends the work has been made
}

// NewScanner returns a scanner that passes what it finds to emit, in the order
// of the text. A call is passed at its last byte, findings about it follow it.
func NewScanner(d Dialect, emit func(Event)) *Scanner {
	s := &Scanner{dialect: d, emit: emit, lineBlank: true}
	s.place = s.betweenFrames()
	return s
}

// Write reads the next bytes of the response. It does not keep p.
func (s *Scanner) Write(p []byte) {
	for len(p) > 0 {
		n := s.step(p)
		if n > 0 {
			s.last = p[n-1]
		}
		p = p[n:]
		s.at += n
		s.steps += n + 1
	}
}

// Close says that the response has ended.
func (s *Scanner) Close() {
	if s.matched == len(s.dialect.framing.info) {
		switch s.place {
		case inInfo:
			s.ours()
		case inReopen:
			s.reopen()
		}
	}
	if s.place == inFirst && s.dialect.framing.certain() {
		s.enterFrame(false)
	}
	if s.place == inBody && s.body.close() {
		s.unclosed(s.at)
	}
	s.release()
	if s.place == inOther || s.place == inOtherKey {
		s.show(nil, s.at)
	}
	if s.frame.values > 0 {
		s.reportOutside("behind the calls")
	} else {
		s.reportOutside("where only a JSON object with calls should")
	}
	s.place = inProse
}

// content passes on text outside calls, which stands at an offset.
func (s *Scanner) content(at int, text string) {
	if text == "" {
		return
	}
	if s.dialect.framing.alone {
		s.steps += s.outside.add(at, text)
		s.begun = s.begun || s.outside.any
	}
	s.emit(Event{Content: text})
}

// hold keeps the next bytes until it is known what they are.
func (s *Scanner) hold(p []byte) {
	if len(s.held) == 0 {
		s.heldAt = s.at
	}
	s.held = append(s.held, p...)
}

// release makes content of the bytes that were held.
func (s *Scanner) release() {
	s.content(s.heldAt, string(s.held))
	s.held = s.held[:0]
}

// find passes on a finding that is about no call.
func (s *Scanner) find(f diag.Finding) { s.emit(Event{Finding: &f}) }

// call passes on a call and what there is to say about it.
func (s *Scanner) call(c chat.Call, findings []diag.Finding) {
	index := s.calls
	s.calls++
	if s.ended {
		findings = append(findings, s.suppress(&c))
	}
	s.ended = s.ended || s.dialect.framing.final && c.Executable && c.Name == s.dialect.Ending
	s.emit(Event{Call: &c})
	for _, f := range findings {
		f.Call = &index
		s.find(f)
	}
}

// suppress takes a call back that stands behind the one that ends the work.
func (s *Scanner) suppress(c *chat.Call) diag.Finding {
	if c.Executable {
		c.Executable, c.Status = false, chat.StatusSuppressed
	}
	return diag.New(diag.AfterEnd, diag.Bytes(c.Start, c.End), "this call stands behind %s, which ends the work, and is not run", s.dialect.Ending)
}
