package wire

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// ErrorText returns the message of an error body in any format: {"error":"…"},
// {"error":{"message":"…"}}, [{"error":…}], {"errors":[…]}, {"message":"…"}, {"detail":…} and
// their relatives, followed by the provider's error code in brackets if it has one; the title of
// an HTML page; and any other text whole.
func ErrorText(body []byte) string {
	if f := parseErrorBody(body); f.IsSet() {
		return f.text()
	}
	text := strings.TrimSpace(string(body))
	if title := pageTitle(text); title != "" {
		return title
	}
	return text
}

// ErrorCodes returns the provider's error codes in an error body, such as
// "context_length_exceeded", "insufficient_quota", "overloaded_error", "RESOURCE_EXHAUSTED",
// "rateLimitExceeded" or "429". The more specific ones come first. There may be none.
func ErrorCodes(body []byte) []string { return parseErrorBody(body).Codes }

// An ErrorReport is a provider's error.
type ErrorReport struct {
	Message string
	Codes   []string
}

// maxErrorBytes limits the errors that are parsed and the messages that are kept.
const maxErrorBytes = 64 << 10

// IsSet reports whether there is an error.
func (f ErrorReport) IsSet() bool { return f.Message != "" }

// text returns the message with the first code, unless the message already contains it.
func (f ErrorReport) text() string {
	if len(f.Codes) == 0 || strings.Contains(f.Message, f.Codes[0]) {
		return f.Message
	}
	return f.Message + " [" + f.Codes[0] + "]"
}

// maxCodes limits the codes of an error. A server has three or four.
const maxCodes = 10

// addCodes adds error codes.
func (f *ErrorReport) addCodes(names ...gjson.Result) {
	for _, v := range names {
		if name := StringOrNumber(v); name != "" && len(f.Codes) < maxCodes && !slices.Contains(f.Codes, name) {
			f.Codes = append(f.Codes, name)
		}
	}
}

// parseErrorBody parses an error body of any kind.
func parseErrorBody(body []byte) ErrorReport {
	if validateJSON(body) != nil {
		return ErrorReport{}
	}
	return parseError(gjson.ParseBytes(body))
}

// parseError parses a JSON error body.
func parseError(v gjson.Result) ErrorReport {
	if len(v.Raw) > maxErrorBytes {
		return ParseErrorMember(v.Get("error"))
	}
	if v.IsArray() {
		v = v.Get("0") // Gemini's OpenAI endpoint
	}
	f := ParseErrorMember(v.Get("error"))
	if !f.IsSet() {
		f = parseErrorMessage(v)
	}
	if f.IsSet() {
		f.addCodes(textCode(v.Get("code"))...)
		f.addCodes(v.Get("error_type"), v.Get("__type"), v.Get("type"), v.Get("code"))
		f.Codes = slices.DeleteFunc(f.Codes, func(name string) bool { return name == "error" })
	}
	return f
}

// ParseErrorMember parses an "error" member. The result is empty if the member reports no error.
func ParseErrorMember(e gjson.Result) ErrorReport {
	switch {
	case len(e.Raw) > maxErrorBytes:
		return ErrorReport{Message: Excerpt(e.Raw)}
	case e.Type == gjson.String:
		return ErrorReport{Message: e.Str}
	case e.Type == gjson.Null, e.Type == gjson.False, e.Raw == "0", e.Raw == "{}", e.Raw == "[]":
		return ErrorReport{}
	case !e.IsObject():
		return ErrorReport{Message: e.Raw}
	}
	f := parseErrorMessage(e)
	if !f.IsSet() {
		f.Message = e.Raw
	}
	f.addCodes(textCode(e.Get("code"))...)
	f.addCodes(e.Get("details.#.reason").Array()...)
	f.addCodes(e.Get("errors.#.reason").Array()...)
	f.addCodes(e.Get("metadata.error_type"), e.Get("status"), e.Get("type"), e.Get("code"))
	return f
}

// textCode returns a code if it is a string; numbers are less specific.
func textCode(code gjson.Result) []gjson.Result {
	if code.Type == gjson.String {
		return []gjson.Result{code}
	}
	return nil
}

// parseErrorMessage parses an object that contains the message itself.
func parseErrorMessage(v gjson.Result) ErrorReport {
	for _, name := range []string{"message", "Message", "msg", "detail", "errors", "error_description", "error", "title", "base_resp.status_msg"} {
		if text := JoinedMessages(v.Get(name)); text != "" {
			return withUpstream(v.Get("metadata.raw").Str, text)
		}
	}
	return ErrorReport{}
}

// withUpstream adds the upstream provider's more specific error to the message of a router
// (OpenRouter).
func withUpstream(raw, message string) ErrorReport {
	f := parseErrorBody([]byte(raw))
	if !f.IsSet() {
		f.Message = raw
	}
	if f.Message = message + ": " + f.Message; raw == "" {
		f.Message = message
	}
	return f
}

// JoinedMessages returns the text of a message or of a list of messages.
func JoinedMessages(v gjson.Result) string {
	switch {
	case !v.IsArray():
		return messageText(v)
	case len(v.Raw) > maxErrorBytes:
		return Excerpt(v.Raw)
	}
	var all []string
	for _, item := range v.Array() {
		if text := messageText(item); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// messageText returns a string or the message of an object, after the "loc" of FastAPI.
func messageText(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	for _, name := range []string{"message", "msg", "error", "detail"} {
		if text := v.Get(name); text.Type == gjson.String {
			return locPrefix(v.Get("loc")) + text.Str
		}
	}
	return ""
}

// locPrefix returns the location of an error as a prefix of its message.
func locPrefix(loc gjson.Result) string {
	var path []string
	for _, step := range loc.Array() {
		path = append(path, step.String())
	}
	if path == nil {
		return ""
	}
	return strings.Join(path, ".") + ": "
}

// IsHTMLPage reports whether a text is an HTML page.
func IsHTMLPage(text []byte) bool {
	begin := asciiLower(string(text[:min(len(text), pageBytes)]))
	begin = strings.TrimLeft(strings.TrimPrefix(begin, bom), blanks)
	return strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html")
}

// pageTitle returns the title of an HTML page, or its first heading, or the message in XML; ""
// if the text is not a page.
func pageTitle(text string) string {
	if !strings.HasPrefix(text, "<") {
		return ""
	}
	text = text[:min(len(text), pageBytes)]
	lower := asciiLower(text)
	for _, tag := range []string{"title", "h1", "h2", "message"} {
		before, after, _ := strings.Cut(lower, "<"+tag)
		begin, end := strings.IndexByte(after, '>')+1, strings.Index(after, "</"+tag)
		if begin == 0 || end < begin {
			continue
		}
		at := len(before) + len("<"+tag)
		if title := strings.Join(strings.Fields(text[at+begin:at+end]), " "); title != "" {
			return title
		}
	}
	return "an untitled page"
}

// asciiLower lowers ASCII letters and keeps the offset of every byte.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}
