package dialect

import (
	"encoding/json"

	"oneshot/pkg/chat"
)

// Some models write the name of the tool before the marker that begins the call.
// The name is content then, and that it is one is only likely.

// A lastWord is the word that the content so far ends with, of which no more is
// kept than tells that it is too long for the name of a tool.
type lastWord struct {
	text []byte
}

// add continues the next piece of content, and returns how many bytes were
// looked at.
func (w *lastWord) add(text string) int {
	const most = maxToolName + 1
	i := len(text)
	for i > 0 && isNameByte(text[i-1]) && len(text)-i < most {
		i--
	}
	if i > 0 {
		w.text = w.text[:0]
	}
	w.text = append(w.text, text[i:i+min(len(text)-i, most-len(w.text))]...)
	return len(text) - i
}

// wordBefore returns the word that ends right before an offset, "" if none does.
func (s *Scanner) wordBefore(at int) string {
	if s.contentEnd != at || len(s.precedingWord.text) > maxToolName {
		return ""
	}
	return string(s.precedingWord.text)
}

// useNameBefore takes an object that names no tool for the arguments of one whose
// name precedes it. The call is ambiguous: it may be none.
func (r *reader) useNameBefore(name string) {
	if name == "" || r.status != chat.StatusOK || !json.Valid([]byte(r.text)) {
		return
	}
	r.call.Name, r.call.Arguments = name, json.RawMessage(r.text)
	r.markAmbiguous()
}
