package wire

import (
	"bytes"
	"errors"
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A First is the first message of a captured body.
type First struct {
	Message  gjson.Result // a JSON object, possibly incomplete
	IsWhole  bool         // it is complete and, outside of event streams, the only one
	IsFailed bool         // the body reports an error at once
}

// ReadFirst returns the first message of a captured body, or false if the text is not a body.
func ReadFirst(src []byte) (First, bool) {
	begin := bytes.TrimLeft(bytes.TrimPrefix(src, []byte(bom)), blanks)
	switch {
	case len(begin) == 0:
		return First{}, false
	case begin[0] == '{' || begin[0] == '[':
		return firstObject(begin), true
	case begin[0] == ':', slices.ContainsFunc(sseFields, func(name string) bool { return bytes.HasPrefix(begin, []byte(name)) }):
		return firstEvent(begin), true
	}
	return First{}, false
}

// firstObject returns the first object of a body, or the first element of an array.
func firstObject(src []byte) First {
	src = bytes.TrimLeft(bytes.TrimPrefix(src, []byte("[")), blanks)
	var f objectScanner
	n, whole, _ := f.scan(src) // a decoder reports errors
	return First{Message: gjson.ParseBytes(src[:n]), IsWhole: whole && len(bytes.Trim(src[n:], blanks+"]")) == 0}
}

// firstEvent returns the first message of an event stream.
func firstEvent(src []byte) First {
	d := decodeFirst(src)
	_, err := d.Close()
	var e *Error
	isStream := d.framing == events
	return First{
		Message:  gjson.ParseBytes(d.objectBytes()),
		IsWhole:  isStream && d.response.done,
		IsFailed: isStream && errors.As(err, &e) && e.Kind == ServerError,
	}
}

// IsTruncatedInFirstMessage reports whether a text is an event stream that ends before its first message
// does: in a JSON object, or with only comments, which keep a connection open. Other text may
// begin like a stream, so all its lines must be those of one.
func IsTruncatedInFirstMessage(src []byte) bool {
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
	d := decodeFirst(bytes.TrimRight(src, blanks))
	return d.framing == events && d.objects.isOpen() && !d.isOver()
}

// decodeFirst decodes a body up to its first message.
func decodeFirst(src []byte) *Decoder {
	p := Protocol{NewReader: func(r *Response) Reader {
		r.StopAtMark = chat.StopOther
		return firstReader{r}
	}}
	d := p.NewDecoder(int64(len(src)))
	for rest := src; len(rest) > 0 && !d.isOver(); {
		n := min(len(rest), pageBytes)
		_ = d.Write(rest[:n], nil) // Close repeats the error
		rest = rest[n:]
	}
	return d
}

// A firstReader reads one message of any protocol.
type firstReader struct{ response *Response }

func (r firstReader) Message(gjson.Result) (bool, error) {
	r.response.End()
	return true, nil
}

func (r firstReader) Native() []byte { return nil }

// errorSiblings are the members that servers write beside an "error".
var errorSiblings = []string{
	"error", "type", "object", "code", "status", "status_code", "message", "param", "detail", "details", "metadata",
	"request_id", "requestId", "trace_id", "event_id", "sequence_number", "user_id", "timestamp", "path",
}

// IsErrorBody reports whether an object is a server's error report and nothing else: it has the
// message of an error, and all its members are usual beside that. A model can answer with such an
// object, too. It is read as a report all the same: an answer without a call has nothing to check,
// so a wrong finding can be ignored, but a failed request that is read as an answer goes unnoticed.
func IsErrorBody(v gjson.Result) bool {
	e, status, only := v.Get("error"), v.Get("base_resp.status_code"), true
	message := e.Str
	switch {
	case status.Type == gjson.Number && status.Num != 0: // MiniMax, beside the members of a response
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

// fastAPIMessage returns the report of FastAPI: a text, or a list of errors with their
// locations.
func fastAPIMessage(v gjson.Result) string {
	for _, item := range v.Array() {
		if v.IsArray() && !item.Get("loc").IsArray() {
			return ""
		}
	}
	return JoinedMessages(v)
}

// IsErrorObject reports whether an object has only a message and one other member, whose value
// looks as expected.
func IsErrorObject(v gjson.Result, name string, looks func(string) bool) bool {
	return looks(v.Get(name).Str) && v.Get("message").Str != "" && len(v.Map()) == 2
}
