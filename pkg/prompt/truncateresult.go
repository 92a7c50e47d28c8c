package prompt

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"oneshot/pkg/dialect"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// DefaultModelBytes is the default limit of a result that a model is sent.
const DefaultModelBytes = 64 << 10

// Result returns the envelope of a result as JSON in which the boundary and the markers of every dialect are
// neutralised. An envelope longer than maxBytes is truncated to head and tail. It is still an envelope, with the
// number of omitted bytes. maxBytes is at least [tool.MinModelBytes], or 0 for no limit.
func Result(envelope json.RawMessage, boundary string, maxBytes int64) string {
	inert := dialect.Neutralise(envelope, boundary)
	if maxBytes == 0 || int64(len(inert)) <= maxBytes {
		return string(inert)
	}
	return string(dialect.Neutralise(truncateEnvelope(inert, int(max(maxBytes, tool.MinModelBytes))), boundary))
}

// truncateEnvelope returns an envelope with only the head and the tail of its largest part.
func truncateEnvelope(envelope []byte, most int) []byte {
	const around = 400 // bytes beside the head and the tail
	if data := gjson.GetBytes(envelope, "data"); data.Exists() {
		head, tail, left := headAndTail(data.Raw, most-around)
		return fmt.Appendf(nil, `{"ok":true,"data":{"head":%s,"tail":%s},"truncated":{"bytes":%d,"left_out":%d,"note":"only the head and the tail of the data are here"}}`,
			head, tail, len(data.Raw), left)
	}
	if e := gjson.GetBytes(envelope, "error"); e.Exists() {
		head, tail, left := headAndTail(e.Get("message").Raw, most-around)
		return fmt.Appendf(nil, `{"ok":false,"error":{"code":%s,"message":%s,"tail":%s,"retryable":%s},"truncated":{"left_out":%d,"note":"the middle of the message is left out"}}`,
			e.Get("code").Raw, head, tail, e.Get("retryable").Raw, left)
	}
	needs := gjson.GetBytes(envelope, "needs").Raw
	head, tail, left := headAndTail(gjson.GetBytes(envelope, "question").Raw, max(most-around-len(needs), tool.MinModelBytes/2))
	return fmt.Appendf(nil, `{"ok":false,"needs":%s,"question":%s,"tail":%s,"truncated":{"left_out":%d,"note":"the middle of the question is left out"}}`, needs, head, tail, left)
}

// headAndTail returns the head and the tail of a text as JSON strings of at most most bytes together, and the number
// of bytes omitted between them. The text is the content of raw if that is a JSON string, otherwise raw itself.
func headAndTail(raw string, most int) (head, tail []byte, left int) {
	text, quoted := raw, quote.Encoded
	if len(raw) > 1 && raw[0] == '"' {
		text, quoted = raw[1:len(raw)-1], func(part string) []byte { return []byte(`"` + part + `"`) }
	}
	for n := min(most, len(text)); ; n = n * most / (len(head) + len(tail)) {
		from, to := safeCuts(text, n/2, len(text)-n/2)
		head, tail, left = quoted(text[:from]), quoted(text[to:]), to-from
		if len(head)+len(tail) <= most+4 || n == 0 {
			return head, tail, left
		}
	}
}

// safeCuts returns the last cut position up to before, and the first from behind. A cut never splits a character, an
// escape or a surrogate pair.
func safeCuts(text string, before, behind int) (from, to int) {
	at := 0
	for at < len(text) {
		if at <= before {
			from = at
		}
		if at >= behind {
			return from, at
		}
		at += charOrEscapeLen(text[at:])
	}
	return from, len(text)
}

// charOrEscapeLen returns the length of the character or escape at the start of a text.
func charOrEscapeLen(text string) int {
	escape := func(text string) int {
		if len(text) > 1 && text[1] == 'u' {
			return min(6, len(text))
		}
		return min(2, len(text))
	}
	if text[0] != '\\' {
		_, size := utf8.DecodeRuneInString(text)
		return size
	}
	size := escape(text)
	if size == 6 && (text[2]|0x20) == 'd' && len(text) > 7 && text[6] == '\\' && text[7] == 'u' {
		size += escape(text[6:])
	}
	return size
}
