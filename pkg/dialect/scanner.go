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
// than the current call or what can still become the opening line of a fence.
type Scanner struct {
	dialect Dialect
	emit    func(Event)
	place   place
	at      int  // offset of the next byte
	last    byte // the byte before it
	calls   int  // found so far
	steps   int  // bytes and pieces looked at; tests count them

	held      []byte // bytes that are content, unless they belong to a frame
	lineBlank bool   // the line holds only blanks so far
	backtick  int    // offset of the next backtick or the end of the piece, if not passed
	tilde     int    // the same of tildes
	matched   int    // how much of the word that decides has been read
	folded    bool   // its case differs
	opener    fence  // the run of fence characters that was read last
	foreign   fence  // the fence around the text that is not ours, if any
	frame     frame
	body      body // reads the open frame, if any
}

// NewScanner returns a scanner that passes what it finds to emit, in the order
// of the text. A call is passed at its last byte, findings about it follow it.
func NewScanner(d Dialect, emit func(Event)) *Scanner {
	return &Scanner{dialect: d, emit: emit, lineBlank: true}
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
	if s.place == inFirst {
		s.enterFrame(false)
	}
	if s.place == inBody && s.body.close() {
		s.unclosed(s.at)
	}
	s.release()
	s.place = inProse
}

func (s *Scanner) content(p []byte) {
	if len(p) > 0 {
		s.emit(Event{Content: string(p)})
	}
}

// hold keeps bytes until it is known what they are.
func (s *Scanner) hold(p []byte) { s.held = append(s.held, p...) }

// release makes content of the bytes that were held.
func (s *Scanner) release() {
	s.content(s.held)
	s.held = s.held[:0]
}

// find passes on a finding that is about no call.
func (s *Scanner) find(f diag.Finding) { s.emit(Event{Finding: &f}) }

// call passes on a call and what there is to say about it.
func (s *Scanner) call(c chat.Call, findings []diag.Finding) {
	index := s.calls
	s.calls++
	s.emit(Event{Call: &c})
	for _, f := range findings {
		f.Call = &index
		s.find(f)
	}
}
