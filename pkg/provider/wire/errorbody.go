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
	if f := parseErrorBody(body); f.isSet() {
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
func ErrorCodes(body []byte) []string { return parseErrorBody(body).codes }

// An errorReport is a provider's error.
type errorReport struct {
	message string
	codes   []string
}

// maxErrorBytes limits the errors that are parsed and the messages that are kept.
const maxErrorBytes = 64 << 10

func (f errorReport) isSet() bool { return f.message != "" }

// text returns the message with the first code, unless the message already contains it.
func (f errorReport) text() string {
	if len(f.codes) == 0 || strings.Contains(f.message, f.codes[0]) {
		return f.message
	}
	return f.message + " [" + f.codes[0] + "]"
}

// maxCodes limits the codes of an error. A server has three or four.
const maxCodes = 10

// addCodes adds error codes.
func (f *errorReport) addCodes(names ...gjson.Result) {
	for _, v := range names {
		if name := idText(v); name != "" && len(f.codes) < maxCodes && !slices.Contains(f.codes, name) {
			f.codes = append(f.codes, name)
		}
	}
}

// parseErrorBody parses an error body of any kind.
func parseErrorBody(body []byte) errorReport {
	if validateJSON(body) != nil {
		return errorReport{}
	}
	return parseError(gjson.ParseBytes(body))
}

// parseError parses a JSON error body.
func parseError(v gjson.Result) errorReport {
	if len(v.Raw) > maxErrorBytes {
		return parseErrorMember(v.Get("error"))
	}
	if v.IsArray() {
		v = v.Get("0") // Gemini's OpenAI endpoint
	}
	f := parseErrorMember(v.Get("error"))
	if !f.isSet() {
		f = parseErrorMessage(v)
	}
	if f.isSet() {
		f.addCodes(textCode(v.Get("code"))...)
		f.addCodes(v.Get("error_type"), v.Get("__type"), v.Get("type"), v.Get("code"))
		f.codes = slices.DeleteFunc(f.codes, func(name string) bool { return name == "error" })
	}
	return f
}

// parseErrorMember parses an "error" member. The result is empty if the member says that there
// is no error.
func parseErrorMember(e gjson.Result) errorReport {
	switch {
	case len(e.Raw) > maxErrorBytes:
		return errorReport{message: Excerpt(e.Raw)}
	case e.Type == gjson.String:
		return errorReport{message: e.Str}
	case e.Type == gjson.Null, e.Type == gjson.False, e.Raw == "0", e.Raw == "{}", e.Raw == "[]":
		return errorReport{}
	case !e.IsObject():
		return errorReport{message: e.Raw}
	}
	f := parseErrorMessage(e)
	if !f.isSet() {
		f.message = e.Raw
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
func parseErrorMessage(v gjson.Result) errorReport {
	for _, name := range []string{"message", "Message", "msg", "detail", "errors", "error_description", "error", "title", "base_resp.status_msg"} {
		if text := joinedMessages(v.Get(name)); text != "" {
			return withUpstream(v.Get("metadata.raw").Str, text)
		}
	}
	return errorReport{}
}

// withUpstream adds the upstream provider's more specific error to the message of a router
// (OpenRouter).
func withUpstream(raw, message string) errorReport {
	f := parseErrorBody([]byte(raw))
	if !f.isSet() {
		f.message = raw
	}
	if f.message = message + ": " + f.message; raw == "" {
		f.message = message
	}
	return f
}

// joinedMessages returns the text of a message or of a list of messages.
func joinedMessages(v gjson.Result) string {
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
