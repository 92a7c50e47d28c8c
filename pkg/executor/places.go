package executor

import (
	"path/filepath"
	"strings"

	"oneshot/pkg/chat"
)

// A Place is a directory whose path is shown to no model.
type Place struct {
	Dir string // absolute
	As  string // what stands for it, such as ~; "" for nothing, with the slash behind it
}

// Conceal has the runner shorten the paths of places in the messages of failed calls, which
// tell a model, and whoever it talks to, where and whose this machine's files are.
func (r *Runner) Conceal(places ...Place) {
	for _, p := range places {
		if dir := filepath.Clean(p.Dir); filepath.IsAbs(dir) && dir != "/" {
			r.places = append(r.places, Place{dir, p.As})
		}
	}
}

// concealed returns a result without the paths of places in its message.
func (r *Runner) concealed(result chat.Result) chat.Result {
	if result.Error == nil {
		return result
	}
	e := *result.Error
	for _, p := range r.places {
		e.Message = p.shorten(e.Message)
	}
	result.Error = &e
	return result
}

// shorten replaces the path of a place, where it is a whole path or the beginning of one.
func (p Place) shorten(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, p.Dir)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		rest := text[i+len(p.Dir):]
		before := i == 0 || !inPath(text[i-1])
		b.WriteString(text[:i])
		switch inside, below := strings.CutPrefix(rest, "/"); {
		case !before, !below && rest != "" && inPath(rest[0]): // a path of another name
			b.WriteString(p.Dir)
		case p.As != "":
			b.WriteString(p.As)
		case below:
			rest = inside
		default:
			b.WriteString(".")
		}
		text = rest
	}
}

// inPath reports whether a character could belong to the same part of a path.
func inPath(c byte) bool {
	return c == '_' || c == '-' || c == '/' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
