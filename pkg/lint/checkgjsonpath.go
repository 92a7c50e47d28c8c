package lint

import (
	"fmt"
	"strings"
)

// A GJSONPathError reports a path that gjson cannot parse.
type GJSONPathError struct {
	Path   string
	Offset int // offset of the unclosed group
}

func (e *GJSONPathError) Error() string {
	return fmt.Sprintf("path %q: unclosed group %q", e.Path, e.Path[e.Offset:])
}

// CheckGJSONPath returns a [GJSONPathError] if a query, a list of paths or a modifier's argument is not
// closed. gjson would silently read it as a name, which a backslash can express.
func CheckGJSONPath(text string) error {
	for at := 0; at < len(text); at++ {
		switch end := groupEnd(text, at); {
		case end < 0:
			return &GJSONPathError{text, at}
		case end > at:
			at = end - 1
		case text[at] == '\\':
			at++
		}
	}
	return nil
}

// groupEnd returns the end of a query, a list of paths or a modifier's argument at an offset; the
// offset itself without one, and -1 if it is not closed.
func groupEnd(text string, at int) int {
	opening := "([{"
	i := at
	switch {
	case strings.HasPrefix(text[at:], "#(") || strings.HasPrefix(text[at:], "#["):
		i, opening = at+1, "(["
	case text[at] != '{' && text[at] != '[':
		return at
	}
	if !isPathStepStart(text[:at]) {
		return at
	}
	for depth := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.IndexByte(opening, c) >= 0:
			depth++
		case c == ')' || c == ']' || c == '}' && len(opening) == 3:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// isPathStepStart reports whether a step or a modifier's argument begins after a text.
func isPathStepStart(before string) bool {
	if before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "|") {
		return true
	}
	modifier := before[strings.LastIndexAny(before, ".|")+1:]
	return modifier[0] == '@' && strings.IndexByte(modifier, ':') == len(modifier)-1
}
