package dialect

import "oneshot/pkg/diag"

// A messageState describes the current message and its recipient, in dialects that write messages. A call
// counts only in a message for a tool. In dialects with needsRecipient, whose calls are tags, a call after text
// without a header does not count either.
type messageState struct {
	recipientTool string    // the recipient, if it is a tool and the dialect needs one
	forUser       bool      // the message is for the user
	sender        string    // if it is not the model, else ""
	nested        bool      // its header is part of the text of another message
	inReasoning   bool      // the message belongs to open reasoning
	hasText       bool      // the message has text
	headerSpan    diag.Span // of the header, if it is for a tool
	callsBefore   int       // number of calls before the message
}

// isMissingCall reports whether a message for a tool contains no call, given the number of calls so far.
func (a *messageState) isMissingCall(calls int) bool {
	return a.recipientTool != "" && !a.nested && a.callsBefore == calls
}

// isQuoting reports whether a call here, in a dialect that needs a recipient or in another, is only quoted.
func (a *messageState) isQuoting(addressed bool) bool {
	return a.forUser || a.sender != "" || a.nested || addressed && a.hasText && a.recipientTool == ""
}

// ignoredCallReason explains why a call here does not count.
func (a *messageState) ignoredCallReason() string {
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
