package dialect

import "oneshot/pkg/diag"

// An address says who the text is for, in dialects whose calls are tags in messages. A
// call counts in a message for a tool, and where no header or text comes before it.
type address struct {
	tool   string    // the recipient, where that is a tool
	user   bool      // the message is for the user
	inside bool      // its header is a part of the text of another message
	text   bool      // text has come since it began
	header diag.Span // of a message for a tool
	calls  int       // the calls of the response before it
}

// beginMessage follows a header. One that stands in the text of another message, which
// has not ended, is a part of that text.
func (s *Scanner) beginMessage(h header, at diag.Span) {
	inside := s.address.isQuoting()
	s.endMessage()
	s.address = address{user: h.recipient == "user", inside: inside, header: at, calls: s.calls}
	if h.isCall() && !h.isForeign() {
		s.address.tool = h.recipient
	}
}

// endMessage follows the end of a message.
func (s *Scanner) endMessage() {
	a := s.address
	if a.tool != "" && !a.inside && a.calls == s.calls {
		s.find(diag.New(diag.NotACall, a.header, "the message is for the tool %s and holds no call", excerpt(a.tool)))
	}
	s.address = address{}
}

// isQuoting reports whether a call at this place is one that the text only shows.
func (a *address) isQuoting() bool { return a.user || a.inside || a.text && a.tool == "" }

// isShown reports whether a mark around calls is in a message that only shows them.
func (s *Scanner) isShown(u use) bool {
	around := u.role == wraps || u.role == unwraps
	return around && u.row != nil && s.isQuoting(u.row)
}

// isQuoting reports whether a call of a dialect is one here that the text only shows.
func (s *Scanner) isQuoting(row *Dialect) bool { return row.framing.addressed && s.address.isQuoting() }

// quoteReason says why a call at this place does not count.
func (a *address) quoteReason() string {
	switch {
	case a.inside:
		return "this call is in a message that other text quotes"
	case a.user:
		return "this call is in a message for the user"
	}
	return "this call follows text that is no message for a tool"
}
