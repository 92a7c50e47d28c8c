package dialect

import "oneshot/pkg/diag"

// An address says who the text is for, in dialects of messages. No call counts in a
// message that is not for a tool. In an addressed dialect, whose calls are tags, none
// counts behind text without a header, either.
type address struct {
	tool   string    // the recipient, where that is a tool and the dialect is addressed
	user   bool      // the message is for the user
	from   string    // who else than the model it is from, or ""
	inside bool      // its header is a part of the text of another message
	text   bool      // text has come since it began
	header diag.Span // of a message for a tool
	calls  int       // the calls of the response before it
}

// beginMessage follows a header. One that stands in the text of another message, which
// has not ended, is a part of that text.
func (s *Scanner) beginMessage(h header, kind bodyKind, tagged bool, at diag.Span) {
	inside := s.address.isQuoting(tagged)
	s.endMessage()
	s.address = address{user: h.isForUser(kind, tagged), inside: inside, header: at, calls: s.calls}
	if h.isForeign() {
		s.address.from = h.role
	} else if h.isCall() && tagged {
		s.address.tool = h.recipient
	}
}

// endMessage follows the end of a message.
func (s *Scanner) endMessage() {
	a := s.address
	if a.lacksCall(s.calls) {
		s.find(diag.New(diag.NotACall, a.header, "the message is for the tool %s and holds no call", excerpt(a.tool)))
	}
	s.address = address{user: a.inside} // the message that quotes this one is not over
}

// lacksCall reports whether the message is for a tool and holds no call, with so many in the response.
func (a *address) lacksCall(calls int) bool { return a.tool != "" && !a.inside && a.calls == calls }

// passEdge follows a mark that begins or ends a message, and is no header.
func (s *Scanner) passEdge(u use, at int) {
	switch u.edge {
	case endsMessage:
		if a := s.address; u.text == callMark && (a.user || a.from != "") {
			s.find(diag.New(diag.NotACall, diag.Bytes(at, at+len(u.text)), "the message ends as a call does, and is for no tool"))
		}
		s.endMessage()
	case beginsAnswer:
		s.address = address{user: true}
	}
}

// isQuoting reports whether a call at this place, in an addressed dialect or in another
// one, is one that the text only shows.
func (a *address) isQuoting(addressed bool) bool {
	return a.user || a.from != "" || a.inside || addressed && a.text && a.tool == ""
}

// isShown reports whether a mark around calls is in a message that only shows them.
func (s *Scanner) isShown(u use) bool {
	around := u.role == wraps || u.role == unwraps
	return around && u.row != nil && s.isQuoting(u.row)
}

// isQuoting reports whether a call of a dialect is one here that the text only shows.
func (s *Scanner) isQuoting(row *Dialect) bool { return s.address.isQuoting(row.framing.addressed) }

// quoteReason says why a call at this place does not count.
func (a *address) quoteReason() string {
	switch {
	case a.from != "":
		return "this call is in a message from " + excerpt(a.from)
	case a.inside:
		return "this call is in a message that other text quotes"
	case a.user:
		return "this call is in a message for the user"
	}
	return "this call follows text that is no message for a tool"
}
