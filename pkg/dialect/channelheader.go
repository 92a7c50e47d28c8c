package dialect

import (
	"iter"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Markers in the header of a message.
const (
	startMarker     = "<|start|>"
	channelMarker   = "<|channel|>"
	constrainMarker = "<|constrain|>"
	callMarker      = "<|call|>"
)

// functionNamespace precedes the names of tools that are not the model's own.
const functionNamespace = "functions."

// A header says who a message is from and for.
type header struct {
	role, channel, recipient string
	recipientAt              int  // where in its text the recipient is
	channelCount             int  // markers of a channel
	otherRecipients          int  // recipients that are not the same
	recipientInRole          bool // the recipient is where the role should
	constrained              bool // it says what the arguments are written in
}

// readHeader reads a header after the marker that begins it.
func readHeader(marker, text string) header {
	h := header{}
	into := &h.channel
	switch marker {
	case startMarker:
		into = &h.role
	case channelMarker:
		h.channelCount = 1
	}
	for word, at := range headerWords(text) {
		name, to := strings.CutPrefix(word, "to=")
		switch {
		case to && name == "":
			into = &h.recipient
		case to || into == &h.recipient:
			h.setRecipient(name, at+len(word)-len(name))
			into = nil
		case word == channelMarker:
			h.channelCount++
			into = &h.channel
		case word == constrainMarker:
			h.constrained, into = true, nil
		case into != nil && *into == "":
			*into = word
			if into == &h.role {
				h.recipientAt = at
			}
			into = nil
		}
	}
	if h.recipient == "" && strings.HasPrefix(h.role, functionNamespace) {
		h.recipient, h.role, h.recipientInRole = h.role, "", true
	}
	return h
}

// setRecipient takes a recipient at an offset. The last one counts.
func (h *header) setRecipient(name string, at int) {
	if h.recipient != "" && h.recipient != name {
		h.otherRecipients++
	}
	h.recipient, h.recipientAt = name, at
}

// headerWords returns the words of a header, and its markers, with their offsets.
func headerWords(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at := 0; at < len(text); {
			size := len(headerMarkerAt(text[at:]))
			for size == 0 && !isSpace(text[at]) {
				for size++; at+size < len(text) && !isSpace(text[at+size]) && headerMarkerAt(text[at+size:]) == ""; size++ {
				}
			}
			if size > 0 && !yield(text[at:at+size], at) {
				return
			}
			at += max(size, 1)
		}
	}
}

// headerMarkerAt returns the marker that a text begins with, "" if it does with none.
func headerMarkerAt(text string) string {
	for _, marker := range []string{channelMarker, constrainMarker} {
		if strings.HasPrefix(text, marker) {
			return marker
		}
	}
	return ""
}

// nonTools are recipients that are no tools.
var nonTools = []string{"", "user", "assistant", "all", "self"}

// isCall reports whether a message is for a tool.
func (h header) isCall() bool { return !slices.Contains(nonTools, h.recipient) }

// isReasoning reports whether a message is for the model itself.
func (h header) isReasoning() bool {
	return h.recipient == "self" || !h.isCall() && h.channel == "analysis"
}

// isForUser reports whether a message with such a body is for the user. Where calls are
// tags, a message that names nobody can hold them.
func (h header) isForUser(kind bodyKind, tagged bool) bool {
	switch {
	case tagged:
		return h.recipient == "user"
	case kind == bodyByHeader:
		return !h.isForeign() && !h.isCall() && !h.isReasoning()
	}
	return kind == bodyForUser
}

// isForeign reports whether a message is not from the model, but from the user, the
// system or a tool, which the model has made up or repeats.
func (h header) isForeign() bool { return h.role != "" && !strings.HasPrefix(h.role, "assistant") }

// findings returns what is wrong with the header of a call.
func (h header) findings(place diag.Span) []diag.Finding {
	var findings []diag.Finding
	if h.recipientInRole {
		f := diag.New(diag.CallVariant, place, "the recipient is in the place of the sender's role")
		if !h.constrained {
			f.Message += ": the message may be a tool result"
			f.Severity = diag.Error
		}
		findings = append(findings, f)
	}
	if h.otherRecipients > 0 {
		f := diag.New(diag.CallMember, place, "the message has more than one recipient")
		findings = append(findings, f)
	}
	if h.channelCount > 1 {
		findings = append(findings, diag.New(diag.MarkupInName, place, "the header has %d channels; the first counts", h.channelCount))
	}
	return findings
}

// renderMessage writes a call as a message.
func renderMessage(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.affixes[0]...)
	b = append(b, c.Name+" <|constrain|>json<|message|>"...)
	b = append(b, namedArguments(c)...)
	return append(b, d.framing.affixes[1]...), isBareName(c.Name)
}

// renderInvoke writes a call as a message with an object that names the tool as well.
func renderInvoke(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.affixes[0]...)
	b = append(b, c.Name+"<|content_invoke_tool_json|>"...)
	b = append(b, `{"name":`+quote(c.Name)+`,"args":`...)
	b = append(append(b, namedArguments(c)...), '}')
	return append(b, d.framing.affixes[1]...), isBareName(c.Name)
}
