package literal

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxKeyLen limits the keys in a pointer, in bytes of JSON.
const maxKeyLen = 256

// pointer returns the JSON pointer of the current position in the arguments. It ends before a
// key that is too long.
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

// pointerToken returns the reference token for an open bracket.
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
