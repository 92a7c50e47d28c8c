package prompt

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// DefaultModelBytes is how much of a result a model is sent where nobody says otherwise.
const DefaultModelBytes = 64 << 10

// Result returns a result as a message of its own: JSON, in which markers of
// every dialect and the mark are inert. Of one with more than most bytes it has the head and the tail, and says
// how much is left out; it is an envelope all the same. Most is at least [tool.MinModelBytes], or 0 for no limit.
func Result(envelope json.RawMessage, mark string, most int64) string {
	inert := dialect.Neutralise(envelope, mark)
	if most == 0 || int64(len(inert)) <= most {
		return string(inert)
	}
	return string(dialect.Neutralise(truncateEnvelope(inert, int(max(most, tool.MinModelBytes))), mark))
}

// truncateEnvelope returns an envelope with the head and the tail of what is large in it.
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

// headAndTail returns the head and the tail of a text as strings of JSON, with no more than most bytes together, and how
// many bytes are between them. The text is that of raw, a string of JSON, or else raw itself.
func headAndTail(raw string, most int) (head, tail []byte, left int) {
	text, quoted := raw, func(part string) []byte { return Quote(part) }
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

// safeCuts returns the last place up to one offset, and the first from another, at which a text of JSON can be cut: inside no
// character and no escape, of which two can be one character.
func safeCuts(text string, before, behind int) (from, to int) {
	at := 0
	for at < len(text) {
		if at <= before {
			from = at
		}
		if at >= behind {
			return from, at
		}
		at += unitLen(text[at:])
	}
	return from, len(text)
}

// unitLen returns how long the character or the escape at the beginning of a text is.
func unitLen(text string) int {
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
