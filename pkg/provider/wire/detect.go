package wire

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Format is a provider's response format.
type Format struct {
	Name    string // such as "native_anthropic"
	Title   string
	New     func(maxBytes int64) Decoder
	matches func(m members) bool // reports whether an object is, or looks like, one of its messages

	HasCallIDs     bool // each call has an id
	StopNamesCalls bool // the stop reason tells whether the response has calls
	StopOptional   bool // the stop reason may be missing
}

// Formats lists the supported formats.
var Formats = []Format{
	{
		Name: "native_openai_chat", Title: "OpenAI chat completions", HasCallIDs: true, StopNamesCalls: true,
		New:     func(n int64) Decoder { return NewChat(n) },
		matches: func(m members) bool { return m.get("choices").IsArray() },
	},
	{
		Name: "native_openai_responses", Title: "OpenAI responses", HasCallIDs: true,
		New: func(n int64) Decoder { return NewResponses(n) },
		matches: func(m members) bool {
			return strings.HasPrefix(m.get("type").Str, "response.") || m.get("object").Str == "response" && m.get("output").IsArray()
		},
	},
	{
		Name: "native_anthropic", Title: "Anthropic messages", HasCallIDs: true, StopNamesCalls: true,
		New: func(n int64) Decoder { return NewMessages(n) },
		matches: func(m members) bool {
			kind := m.get("type").Str
			return kind == "message_start" || strings.HasPrefix(kind, "content_block_") || kind == "message" && m.get("content").IsArray()
		},
	},
	{
		Name: "native_gemini", Title: "Gemini",
		New:     func(n int64) Decoder { return NewGemini(n) },
		matches: func(m members) bool { return m.get("candidates").IsArray() || m.get("promptFeedback").IsObject() },
	},
	{
		Name: "native_ollama_chat", Title: "Ollama chat", StopOptional: true,
		New:     func(n int64) Decoder { return NewOllama(n) },
		matches: func(m members) bool { return m.get("message").IsObject() && m.get("done").IsBool() },
	},
	{
		Name: "native_bedrock_converse", Title: "Bedrock Converse", HasCallIDs: true, StopNamesCalls: true,
		New: func(n int64) Decoder { return NewBedrock(n) },
		matches: func(m members) bool {
			return m.get("messageStart").IsObject() || m.get("contentBlockStart").IsObject() || m.get("contentBlockDelta").IsObject() || m.get("output").Get("message").IsObject()
		},
	},
	{
		Name: "native_cohere_v2", Title: "Cohere chat", HasCallIDs: true, StopNamesCalls: true,
		New: func(n int64) Decoder { return NewCohere(n) },
		matches: func(m members) bool {
			kind := m.get("type").Str
			return kind == "message-start" || kind == "content-start" || kind == "content-delta" || kind == "tool-plan-delta" || kind == "tool-call-start" || m.get("message").IsObject() && m.get("finish_reason").Exists()
		},
	},
}

// FormatByName returns the format with a name.
func FormatByName(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

func FormatNames() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// DetectFormat returns the format of a captured body by its first message. It returns false for
// a message of no format and for text that is not a JSON object. A body that is only an error
// has a format whose servers report such errors.
func DetectFormat(src []byte) (Format, bool) {
	begin := bytes.TrimLeft(bytes.TrimPrefix(src, []byte(bom)), blanks)
	switch {
	case len(begin) == 0:
		return Format{}, false
	case begin[0] == '{' || begin[0] == '[':
		return detectObjectFormat(begin)
	case begin[0] == ':', slices.ContainsFunc(sseFields, func(name string) bool { return bytes.HasPrefix(begin, []byte(name)) }):
		return detectEventsFormat(begin)
	}
	return Format{}, false
}

// detectObjectFormat returns the format of a body by its first, possibly incomplete object, or
// by the first element of an array.
func detectObjectFormat(src []byte) (Format, bool) {
	src = bytes.TrimLeft(bytes.TrimPrefix(src, []byte("[")), blanks)
	var f objectScanner
	n, whole, _ := f.scan(src) // a decoder reports errors
	object := gjson.ParseBytes(src[:n])
	format, ok := matchFormat(object)
	if !ok && whole && len(bytes.Trim(src[n:], blanks+"]")) == 0 && isErrorReport(object) {
		return FormatByName(errorFormat(object))
	}
	return format, ok
}

// detectEventsFormat returns the format of an event stream.
func detectEventsFormat(src []byte) (Format, bool) {
	p := probeBody(src)
	_, err := p.Close()
	object := gjson.ParseBytes(p.objectBytes())
	format, ok := matchFormat(object)
	var e *Error
	if !ok && p.framing == events && (errors.As(err, &e) && e.Kind == ServerError || p.done && isErrorReport(object)) {
		return FormatByName(errorFormat(object))
	}
	return format, ok
}

// IsTruncatedStream reports whether a text is an event stream that ends before its first message
// does: in a JSON object, or with only comments, which keep a connection open. Other text may
// begin like a stream, so all its lines must be those of one.
func IsTruncatedStream(src []byte) bool {
	comments, fields := 0, 0
	for line := range bytes.Lines(bytes.TrimPrefix(src, []byte(bom))) {
		field, _, named := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		switch {
		case len(field) > 0 && (!named || !slices.Contains(sseFields, string(field))):
			return false
		case len(field) > 0:
			fields++
		case named:
			comments++
		}
	}
	if fields == 0 {
		return comments > 0
	}
	p := probeBody(bytes.TrimRight(src, blanks))
	return p.framing == events && p.objects.isOpen() && !p.isOver()
}

// probeBody reads a body up to its first message.
func probeBody(src []byte) *prober {
	p := &prober{}
	p.body = newBody(int64(len(src)), p)
	for rest := src; len(rest) > 0 && !p.isOver(); {
		n := min(len(rest), pageBytes)
		_ = p.Write(rest[:n], nil) // Close repeats the error
		rest = rest[n:]
	}
	return p
}

// A prober reads a body up to its first message.
type prober struct{ body }

func (p *prober) message(gjson.Result) (bool, error) {
	p.done = true
	return true, nil
}

func (p *prober) end(bool) bool { return true }

func (p *prober) native() *chat.Native { return nil }

// matchFormat returns the first format that matches an object.
func matchFormat(object gjson.Result) (Format, bool) {
	m := selectMembers(object)
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.matches(m) })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// members are the members of an object that identify formats.
type members []member

type member struct {
	name  string
	value gjson.Result
}

// formatMembers are the names of those members.
var formatMembers = []string{
	"choices", "type", "object", "output", "content", "candidates", "promptFeedback", "message", "done",
	"messageStart", "contentBlockStart", "contentBlockDelta", "finish_reason",
}

func selectMembers(object gjson.Result) members {
	m := make(members, 0, 4)
	object.ForEach(func(key, value gjson.Result) bool {
		if i := slices.Index(formatMembers, key.Str); i >= 0 {
			m = append(m, member{formatMembers[i], value})
		}
		return len(m) < len(formatMembers)
	})
	return m
}

// get returns the first member with a name.
func (m members) get(name string) gjson.Result {
	for i := range m {
		if m[i].name == name {
			return m[i].value
		}
	}
	return gjson.Result{}
}

// errorSiblings are the members that servers write beside an "error".
var errorSiblings = []string{
	"error", "type", "object", "code", "status", "status_code", "message", "param", "detail", "details", "metadata",
	"request_id", "requestId", "trace_id", "event_id", "sequence_number", "user_id", "timestamp", "path",
}

// isErrorReport reports whether an object is a server's error report and nothing else: its
// "error" or type says something, and all its members are usual beside that. A model can answer
// with such an object, too. It is read as a report all the same: an answer without a call has
// nothing to check, so a wrong finding can be ignored, but a failed request taken for an answer
// goes unnoticed.
func isErrorReport(v gjson.Result) bool {
	e, status, only := v.Get("error"), v.Get("base_resp.status_code"), true
	message := e.Str
	switch {
	case status.Type == gjson.Number && status.Num != 0: // MiniMax, beside the members of a response
		return true
	case isMessagePair(v, "id", isUUID), isMessagePair(v, "__type", isException):
		return true
	case e.IsObject():
		message = e.Get("message").Str
	case !e.Exists() && len(v.Map()) == 1: // FastAPI
		message = fastAPIMessage(v.Get("detail"))
	case !e.Exists() && v.Get("type").Str == "error":
		message = v.Get("message").Str
	}
	v.ForEach(func(k, _ gjson.Result) bool {
		only = slices.Contains(errorSiblings, k.Str)
		return only
	})
	return message != "" && only
}

// isMessagePair reports whether an object has only a message and one other member, whose value
// looks as expected.
func isMessagePair(v gjson.Result, name string, looks func(string) bool) bool {
	return looks(v.Get(name).Str) && v.Get("message").Str != "" && len(v.Map()) == 2
}

// fastAPIMessage returns the report of FastAPI: a text, or a list of errors with their
// locations.
func fastAPIMessage(v gjson.Result) string {
	for _, item := range v.Array() {
		if v.IsArray() && !item.Get("loc").IsArray() {
			return ""
		}
	}
	return joinedMessages(v)
}

// isException reports whether a name is that of an AWS error.
func isException(name string) bool { return strings.HasSuffix(name, "Exception") }

// isUUID reports whether a text is a request id of Cohere.
func isUUID(id string) bool {
	return len(id) == len("01234567-89ab-cdef-0123-456789abcdef") && strings.Count(id, "-") == 4 && strings.Trim(asciiLower(id), "0123456789abcdef-") == ""
}

// errorFormat returns the name of a format whose servers report such errors.
func errorFormat(v gjson.Result) string {
	e, isError := v.Get("error"), v.Get("type").Str == "error"
	switch {
	case isMessagePair(v, "id", isUUID):
		return "native_cohere_v2"
	case isMessagePair(v, "__type", isException):
		return "native_bedrock_converse"
	case isError && e.IsObject():
		return "native_anthropic"
	case isError:
		return "native_openai_responses"
	case e.Get("code").Type == gjson.Number && e.Get("status").Type == gjson.String:
		return "native_gemini"
	case e.Type == gjson.String:
		return "native_ollama_chat"
	}
	return "native_openai_chat"
}
