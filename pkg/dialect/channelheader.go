package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Marks in the header of a message.
const (
	channelMark   = "<|channel|>"
	constrainMark = "<|constrain|>"
)

// A header says who a message is from and for.
type header struct {
	role, channel, recipient string
	channels                 int  // marks of a channel
	moved                    bool // the recipient stands where the role should
}

// readHeader reads a header behind the mark that begins it.
func readHeader(mark, text string) header {
	h := header{}
	into := &h.role
	if mark == channelMark {
		into, h.channels = &h.channel, 1
	}
	spaced := strings.NewReplacer(channelMark, " "+channelMark+" ", constrainMark, " "+constrainMark+" ").Replace(text)
	for _, word := range strings.Fields(spaced) {
		switch to, ok := strings.CutPrefix(word, "to="); {
		case ok:
			h.recipient, into = to, nil
			if to == "" {
				into = &h.recipient
			}
		case word == channelMark:
			h.channels++
			into = &h.channel
		case word == constrainMark:
			into = nil
		case into != nil && *into == "":
			*into, into = word, nil
		}
	}
	if h.recipient == "" && strings.HasPrefix(h.role, "functions.") {
		h.recipient, h.role, h.moved = h.role, "", true
	}
	return h
}

// people are recipients that are no tools.
var people = []string{"", "user", "assistant", "all", "self"}

// isCall reports whether a message is for a tool.
func (h header) isCall() bool { return !slices.Contains(people, h.recipient) }

// isReasoning reports whether a message is for the model itself.
func (h header) isReasoning() bool {
	return h.recipient == "self" || !h.isCall() && h.channel == "analysis"
}

// doubts returns what is wrong with the header of a call.
func (h header) doubts(place diag.Span) []diag.Finding {
	var findings []diag.Finding
	if h.moved {
		findings = append(findings, diag.New(diag.Relative, place, "the recipient stands where the role of the sender should"))
	}
	if h.channels > 1 {
		findings = append(findings, diag.New(diag.MarkupInName, place, "the header has %d channels, of which the first counts", h.channels))
	}
	return findings
}

// renderMessage writes a call as a message.
func renderMessage(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.writes[0]...)
	b = append(b, c.Name+" <|constrain|>json<|message|>"...)
	b = append(b, namedArguments(c)...)
	return append(b, d.framing.writes[1]...), namable(c.Name)
}

// renderInvoke writes a call as a message with an object that names the tool, too.
func renderInvoke(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.writes[0]...)
	b = append(b, c.Name+"<|content_invoke_tool_json|>"...)
	b = append(b, `{"name":`+quote(c.Name)+`,"args":`...)
	b = append(append(b, namedArguments(c)...), '}')
	return append(b, d.framing.writes[1]...), namable(c.Name)
}
