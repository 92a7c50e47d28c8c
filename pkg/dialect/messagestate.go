package dialect

import "oneshot/pkg/diag"

// A messageState says who the text is for, in dialects of messages. No call counts in a
// message that is not for a tool. In an addressed dialect, whose calls are tags, none
// counts after text without a header, either.
type messageState struct {
	recipientTool string    // the recipient, where that is a tool and the dialect is addressed
	forUser       bool      // the message is for the user
	sender        string    // who else than the model it is from, or ""
	nested        bool      // its header is a part of the text of another message
	hasText       bool      // text has come since it began
	headerSpan    diag.Span // of a message for a tool
	callsBefore   int       // the calls of the response before it
}

// beginMessage follows a header. One that is in the text of another message, which
// has not ended, is a part of that text.
func (s *Scanner) beginMessage(h header, kind bodyKind, tagged bool, at diag.Span) {
	inside := s.message.isQuoting(tagged)
	s.endMessage()
	s.message = messageState{forUser: h.isForUser(kind, tagged), nested: inside, headerSpan: at, callsBefore: s.calls}
	if h.isForeign() {
		s.message.sender = h.role
	} else if h.isCall() && tagged {
		s.message.recipientTool = h.recipient
	}
}

// endMessage follows the end of a message.
func (s *Scanner) endMessage() {
	a := s.message
	if a.isMissingCall(s.calls) {
		s.report(diag.New(diag.NotACall, a.headerSpan, "the message for tool %s contains no call", excerpt(a.recipientTool)))
	}
	s.message = messageState{forUser: a.nested} // the message that quotes this one is not over
}

// isMissingCall reports whether the message is for a tool and holds no call, with so many in the response.
func (a *messageState) isMissingCall(calls int) bool {
	return a.recipientTool != "" && !a.nested && a.callsBefore == calls
}

// applyMessageEffect follows a marker that begins or ends a message, and is no header.
func (s *Scanner) applyMessageEffect(u markerUse, at int) {
	switch u.effect {
	case endsMessage:
		if a := s.message; u.text == callMarker && (a.forUser || a.sender != "") {
			s.report(diag.New(diag.NotACall, diag.Bytes(at, at+len(u.text)), "the message ends like a call but is for no tool"))
		}
		s.endMessage()
	case beginsAnswer:
		s.message = messageState{forUser: true}
	}
}

// isQuoting reports whether a call at this place, in an addressed dialect or in another
// one, is one that the text only shows.
func (a *messageState) isQuoting(addressed bool) bool {
	return a.forUser || a.sender != "" || a.nested || addressed && a.hasText && a.recipientTool == ""
}

// isInShownMessage reports whether a marker around calls is in a message that only shows them.
func (s *Scanner) isInShownMessage(u markerUse) bool {
	around := u.role == listOpen || u.role == listClose
	return around && u.dialect != nil && s.isQuoting(u.dialect)
}

// isQuoting reports whether a call of a dialect is one here that the text only shows.
func (s *Scanner) isQuoting(row *Dialect) bool {
	return s.message.isQuoting(row.framing.needsRecipient)
}

// quoteReason says why a call at this place does not count.
func (a *messageState) quoteReason() string {
	switch {
	case a.sender != "":
		return "this call is in a message from " + excerpt(a.sender)
	case a.nested:
		return "this call is in a quoted message"
	case a.forUser:
		return "this call is in a message for the user"
	}
	return "this call follows text outside any message for a tool"
}
