package dialect

import "oneshot/pkg/diag"

// beginMessage handles a header after a marker. A header inside another message that has not ended is part of its text;
// reasoning also ends at a start marker.
func (s *sink) beginMessage(h header, kind bodyKind, tagged bool, marker string, at diag.Span) {
	if s.message.inReasoning && marker == startMarker {
		s.message = messageState{}
	}
	inReasoning := s.message.inReasoning
	inside := s.message.isQuoting(tagged) || inReasoning && h.isCall()
	s.endMessage()
	s.message = messageState{forUser: h.isForUser(kind, tagged), nested: inside, inReasoning: inReasoning && inside, headerSpan: at, callsBefore: s.calls}
	if h.hasForeignSender() {
		s.message.sender = h.role
	} else if h.isCall() && tagged {
		s.message.recipientTool = h.recipient
	}
}

func (s *sink) endMessage() {
	a := s.message
	if a.isMissingCall(s.calls) {
		s.report(diag.New(diag.NotACall, a.headerSpan, "the message for tool %s contains no call", excerpt(a.recipientTool)))
	}
	s.message = messageState{forUser: a.nested, inReasoning: a.nested && a.inReasoning} // the quoting message continues
}

// applyMessageEffect handles a marker that begins or ends a message without being a header.
func (s *sink) applyMessageEffect(u markerUse, at int) {
	switch u.effect {
	case endsMessage:
		if a := s.message; u.text == callMarker && (a.forUser || a.sender != "") {
			s.report(diag.New(diag.NotACall, diag.Bytes(at, at+len(u.text)), "the message ends like a call but is for no tool"))
		}
		s.endMessage()
	case beginsResult:
		s.markAfterResult()
	case beginsAnswer:
		s.message = messageState{forUser: true}
	}
}

// isInQuotingMessage reports whether an enclosing marker of calls is in a message that only quotes calls.
func (s *sink) isInQuotingMessage(u markerUse) bool {
	around := u.role == listOpen || u.role == listClose
	return around && u.dialect != nil && s.isMessageQuotingCalls(u.dialect)
}

// isMessageQuotingCalls reports whether a call of this dialect is only quoted here.
func (s *sink) isMessageQuotingCalls(row *Dialect) bool {
	return s.message.isQuoting(row.framing.needsRecipient)
}
