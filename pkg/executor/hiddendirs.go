package executor

import (
	"path/filepath"
	"strings"

	"oneshot/pkg/chat"
)

// A HiddenDir is a directory whose path is hidden from models.
type HiddenDir struct {
	Dir   string // absolute
	Alias string // replacement such as ~; "" removes the path and the slash after it
}

// HideDirs shortens the paths of directories in the messages of failed calls, which would reveal to the model
// where and whose the files of this machine are.
func (r *Runner) HideDirs(places ...HiddenDir) {
	for _, p := range places {
		if dir := filepath.Clean(p.Dir); filepath.IsAbs(dir) && dir != "/" {
			r.hiddenDirs = append(r.hiddenDirs, HiddenDir{dir, p.Alias})
		}
	}
}

// withoutHiddenDirs returns a result with the paths in its message shortened.
func (r *Runner) withoutHiddenDirs(result chat.Result) chat.Result {
	if result.Error == nil {
		return result
	}
	e := *result.Error
	for _, p := range r.hiddenDirs {
		e.Message = p.shorten(e.Message)
	}
	result.Error = &e
	return result
}

// shorten replaces the path where it is a whole path or a prefix of one.
func (p HiddenDir) shorten(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, p.Dir)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		rest := text[i+len(p.Dir):]
		before := i == 0 || !isPathByte(text[i-1])
		b.WriteString(text[:i])
		switch inside, below := strings.CutPrefix(rest, "/"); {
		case !before, !below && rest != "" && isPathByte(rest[0]): // a path of another name
			b.WriteString(p.Dir)
		case p.Alias != "":
			b.WriteString(p.Alias)
		case below:
			rest = inside
		default:
			b.WriteString(".")
		}
		text = rest
	}
}

// isPathByte reports whether a byte could belong to the same path component.
func isPathByte(c byte) bool {
	return c == '_' || c == '-' || c == '/' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
