package dialect

import (
	"iter"
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// A bodyKind is the kind of a message body.
type bodyKind int

const (
	bodyByHeader bodyKind = iota // decided by the header
	bodyForUser                  // text for the user
	bodyIsReasoning
	bodyIsInvoke     // a call with its name
	bodyIsTextInvoke // text for the tool in the header
	bodyIsArguments  // JSON at the start of the body, without a marker; else like bodyByHeader
)

// Markers in the header of a message.
const (
	startMarker     = "<|start|>"
	channelMarker   = "<|channel|>"
	constrainMarker = "<|constrain|>"
	callMarker      = "<|call|>"
)

// functionNamespace precedes the names of tools that are not built into the model.
const functionNamespace = "functions."

// A header names the sender and the recipient of a message.
type header struct {
	role, channel, recipient string
	recipientAt              int  // offset of the recipient in the header
	channelCount             int  // channel markers
	otherRecipients          int  // number of other recipients
	recipientInRole          bool // the recipient is in the place of the role
	constrained              bool // it declares the format of the arguments
}

// parseHeader parses the header after its opening marker.
func parseHeader(marker, text string) header {
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

// setRecipient sets the recipient at an offset. The last one counts.
func (h *header) setRecipient(name string, at int) {
	if h.recipient != "" && h.recipient != name {
		h.otherRecipients++
	}
	h.recipient, h.recipientAt = name, at
}

// headerWords iterates over the words and markers of a header, with their offsets.
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

// headerMarkerAt returns the marker at the start of a text, or "".
func headerMarkerAt(text string) string {
	for _, marker := range []string{channelMarker, constrainMarker} {
		if strings.HasPrefix(text, marker) {
			return marker
		}
	}
	return ""
}

// nonTools are recipients other than tools.
var nonTools = []string{"", "user", "assistant", "all", "self"}

// isCall reports whether a message is for a tool.
func (h header) isCall() bool { return !slices.Contains(nonTools, h.recipient) }

// isReasoning reports whether a message is for the model itself.
func (h header) isReasoning() bool {
	return h.recipient == "self" || !h.isCall() && h.channel == "analysis"
}

// isForUser reports whether a message with this kind of body is for the user. If calls are tags, a message
// without a recipient may contain calls.
func (h header) isForUser(kind bodyKind, tagged bool) bool {
	switch {
	case tagged:
		return h.recipient == "user"
	case kind == bodyByHeader:
		return !h.hasForeignSender() && !h.isCall() && !h.isReasoning()
	}
	return kind == bodyForUser
}

// hasForeignSender reports whether a message is from the user, the system or a tool: fabricated or repeated by the
// model.
func (h header) hasForeignSender() bool {
	return h.role != "" && !strings.HasPrefix(h.role, "assistant")
}

// findings returns the faults in the header of a call.
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
