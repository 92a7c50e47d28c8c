package literal

import (
	"encoding/json"
	"strconv"
	"strings"
)

// longestKey bounds the keys that are named in a path, in bytes of JSON.
const longestKey = 256

// path returns the place that is being read as a JSON pointer into the
// arguments. It ends where a key is too long.
func (a *arguments) path() string {
	var b strings.Builder
	for _, open := range a.open {
		step, ok := a.pathStep(open)
		if !ok {
			break
		}
		b.WriteString("/" + step)
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pathStep returns the step of a path into an open bracket.
func (a *arguments) pathStep(open bracket) (string, bool) {
	switch {
	case open.items == 0:
		return "", false
	case open.char == '[', open.char == parenthesis, open.char == '(' && !a.keyed:
		return strconv.Itoa(open.items - 1), true
	case open.keyEnd-open.keyFrom > longestKey:
		return "", false
	}
	var key string
	err := json.Unmarshal(a.out[open.keyFrom:open.keyEnd], &key)
	return pointerEscapes.Replace(key), err == nil
}
