package executor

import (
	"path/filepath"
	"strings"

	"oneshot/pkg/chat"
)

// A RedactedDir is a directory whose path is hidden from models.
type RedactedDir struct {
	Dir   string // absolute
	Alias string // replacement such as ~; "" removes the path and the slash after it
}

// RedactDirPaths shortens the paths of directories in the messages of failed calls, which would reveal to the model
// where and whose the files of this machine are.
func (r *Runner) RedactDirPaths(places ...RedactedDir) {
	for _, p := range places {
		if dir := filepath.Clean(p.Dir); filepath.IsAbs(dir) && dir != "/" {
			r.redactedDirs = append(r.redactedDirs, RedactedDir{dir, p.Alias})
		}
	}
}

// redactDirs returns a result with the paths in its message shortened.
func (r *Runner) redactDirs(result chat.Result) chat.Result {
	if result.Error == nil {
		return result
	}
	e := *result.Error
	for _, p := range r.redactedDirs {
		e.Message = p.shorten(e.Message)
	}
	result.Error = &e
	return result
}

// shorten replaces the path where it is a whole path or a prefix of one.
func (p RedactedDir) shorten(text string) string {
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
