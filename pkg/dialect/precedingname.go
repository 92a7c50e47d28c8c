package dialect

// Some models write the tool name before the marker that begins the call. The name is then content, and only
// likely to belong to the call.

// A lastWord is the word at the end of the content, cut just above the length of a tool name.
type lastWord struct {
	text []byte
}

// add updates the word with more content, and returns the number of bytes inspected.
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
