package dialect

import "oneshot/pkg/diag"

// A messageState says who the current message is for, in dialects that write messages. A call counts only in a
// message for a tool. In dialects with needsRecipient, whose calls are tags, a call after text without a header
// does not count either.
type messageState struct {
	recipientTool string    // the recipient, if it is a tool and the dialect needs one
	forUser       bool      // the message is for the user
	sender        string    // if it is not the model, else ""
	nested        bool      // its header is part of the text of another message
	hasText       bool      // the message has text
	headerSpan    diag.Span // of the header, if it is for a tool
	callsBefore   int       // number of calls before the message
}

// beginMessage handles a header. A header inside another message that has not ended is part of its text.
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

func (s *Scanner) endMessage() {
	a := s.message
	if a.isMissingCall(s.calls) {
		s.report(diag.New(diag.NotACall, a.headerSpan, "the message for tool %s contains no call", excerpt(a.recipientTool)))
	}
	s.message = messageState{forUser: a.nested} // the quoting message continues
}

// isMissingCall reports whether a message for a tool contains no call, given the number of calls so far.
func (a *messageState) isMissingCall(calls int) bool {
	return a.recipientTool != "" && !a.nested && a.callsBefore == calls
}

// applyMessageEffect handles a marker that begins or ends a message without being a header.
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

// isQuoting reports whether a call here, in a dialect that needs a recipient or in another, is only quoted.
func (a *messageState) isQuoting(addressed bool) bool {
	return a.forUser || a.sender != "" || a.nested || addressed && a.hasText && a.recipientTool == ""
}

// isInShownMessage reports whether an enclosing marker of calls is in a message that only quotes calls.
func (s *Scanner) isInShownMessage(u markerUse) bool {
	around := u.role == listOpen || u.role == listClose
	return around && u.dialect != nil && s.isQuoting(u.dialect)
}

// isQuoting reports whether a call of this dialect is only quoted here.
func (s *Scanner) isQuoting(row *Dialect) bool {
	return s.message.isQuoting(row.framing.needsRecipient)
}

// quoteReason explains why a call here does not count.
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
