package literal

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxKeyLen bounds the keys that are named in a path, in bytes of JSON.
const maxKeyLen = 256

// pointer returns the place that is being read as a JSON pointer into the
// arguments. It ends where a key is too long.
func (a *arguments) pointer() string {
	var b strings.Builder
	for _, open := range a.open {
		step, ok := a.pointerToken(open)
		if !ok {
			break
		}
		b.WriteString("/" + step)
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointerToken returns the step of a path into an open bracket.
func (a *arguments) pointerToken(open bracket) (string, bool) {
	switch {
	case open.items == 0:
		return "", false
	case open.char == '[', open.char == pythonParen, open.char == '(' && !a.hasKeywords:
		return strconv.Itoa(open.items - 1), true
	case open.keyOutEnd-open.keyOutStart > maxKeyLen:
		return "", false
	}
	var key string
	err := json.Unmarshal(a.out[open.keyOutStart:open.keyOutEnd], &key)
	return pointerEscapes.Replace(key), err == nil
}
