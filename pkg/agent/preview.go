package agent

import (
	"fmt"
	"strings"

	"oneshot/pkg/chat"
)

// longestSummary is how many bytes of arguments a message has.
const longestSummary = 2000

// Summary returns the arguments of the call and what it comes to, on one line, for messages.
func (q Question) Summary() string {
	args := string(q.Arguments)
	if len(args) > longestSummary {
		args = fmt.Sprintf("%s… %d bytes in all", strings.ToValidUTF8(args[:longestSummary], ""), len(args))
	}
	parts := append([]string{args}, q.Effects()...)
	return strings.Join(parts, "; ")
}

// Effects says what the call comes to, one thing a line.
func (q Question) Effects() []string {
	var out []string
	p := q.Preview
	if len(p.Argv) > 0 {
		out = append(out, fmt.Sprintf("runs %q", p.Argv))
	}
	if p.Request != nil {
		out = append(out, "requests "+p.Request.Method+" "+p.Request.URL)
	}
	for _, f := range p.Files {
		out = append(out, describeFile(f))
	}
	if p.Fails != "" {
		out = append(out, "would fail: "+p.Fails)
	}
	return out
}

// describeFile says what becomes of a file.
func describeFile(f chat.PreviewFile) string {
	name := f.Path
	if f.Resolved != f.Path {
		name += " → " + f.Resolved
	}
	switch {
	case f.State == chat.FileMissing && f.New != nil:
		return fmt.Sprintf("creates %s (%d bytes)", name, len(f.New))
	case f.State == chat.FileThere && f.New != nil:
		return fmt.Sprintf("replaces %s: %d bytes are lost, %d are written", name, f.Bytes, len(f.New))
	case f.State == chat.FileThere:
		return fmt.Sprintf("uses %s (%d bytes)", name, f.Bytes)
	}
	return fmt.Sprintf("uses %s (%s)", name, f.State)
}
