package agent

import (
	"fmt"
	"strings"

	"oneshot/pkg/chat"
)

// maxSummaryBytes bounds the arguments in a summary.
const maxSummaryBytes = 2000

// Summary returns the arguments and effects of the call on one line, for messages.
func (q ApprovalRequest) Summary() string {
	args := string(q.Arguments)
	if len(args) > maxSummaryBytes {
		args = fmt.Sprintf("%s… (%d bytes in total)", strings.ToValidUTF8(args[:maxSummaryBytes], ""), len(args))
	}
	parts := append([]string{args}, q.EffectLines()...)
	return strings.Join(parts, "; ")
}

// EffectLines returns the effects of the call, one per line.
func (q ApprovalRequest) EffectLines() []string {
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

// describeFile describes the effect on a file.
func describeFile(f chat.PreviewFile) string {
	name := f.Path
	if f.Resolved != f.Path {
		name += " → " + f.Resolved
	}
	switch {
	case f.State == chat.FileMissing && f.New != nil:
		return fmt.Sprintf("creates %s (%d bytes)", name, len(f.New))
	case f.State == chat.FilePresent && f.New != nil:
		return fmt.Sprintf("replaces %s (%d bytes) with %d bytes", name, f.Bytes, len(f.New))
	case f.State == chat.FilePresent:
		return fmt.Sprintf("uses %s (%d bytes)", name, f.Bytes)
	}
	return fmt.Sprintf("uses %s (%s)", name, f.State)
}
