package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/tool"
)

// A dialog asks for one approval. It shows the call, its arguments and its effects in pages, and accepts a yes only
// after the last page.
type dialog struct {
	in            *bufio.Reader
	out           io.Writer
	q             agent.ApprovalRequest
	choice        *choice // of files; nil if there is nothing to choose
	width, height int     // of the terminal
	hide          func(string) string
	discardTyped  func() error // drops typed input that was not read
	plain         bool         // without colour
	pending       []string     // lines that were not shown yet
}

// run shows the call and asks until there is an answer.
func (d *dialog) run() (agent.Approval, error) {
	d.pending = d.lines()
	fmt.Fprintf(d.out, "\noneshot: a call waits for approval\n")
	d.more(d.height - 4)
	for {
		fmt.Fprint(d.out, d.prompt())
		line, err := d.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			fmt.Fprintln(d.out)
			return agent.Approval{By: "tty", Why: "the terminal was closed"}, nil
		}
		switch word := strings.ToLower(strings.TrimSpace(string(line))); word {
		case "y", "yes":
			if approval, ok := d.approved(); ok {
				return approval, nil
			}
		case "", "n", "no":
			return agent.Approval{By: "tty"}, nil
		case "m":
			d.showLinesDiscardingInput(d.height - 3)
		case "v":
			d.showArguments()
			d.showLinesDiscardingInput(len(d.pending))
		default:
			d.toggleMarks(word)
		}
	}
}

// showLinesDiscardingInput shows the next lines and discards input that was typed before.
func (d *dialog) showLinesDiscardingInput(lines int) {
	d.more(lines)
	_, _ = d.in.Discard(d.in.Buffered()) // cannot fail
	_ = d.discardTyped()                 // a closed terminal fails at the next read
}

// more shows the next lines.
func (d *dialog) more(lines int) {
	n := min(max(lines, 1), len(d.pending))
	for _, line := range d.pending[:n] {
		fmt.Fprintln(d.out, line)
	}
	d.pending = d.pending[n:]
}

// prompt returns the question line.
func (d *dialog) prompt() string {
	if n := len(d.pending); n > 0 {
		return fmt.Sprintf("%d more lines: m more, v all, n no [n] ", n)
	}
	if d.choice == nil {
		return "Run it? y yes, n no, v show all [n] "
	}
	return "Run it? y with the marked files, n no, 1 2 … toggle marks, a mark all, d mark none, v show all [n] "
}

// approved returns the approval of the marked files. It reports false if none is marked or lines are not shown yet.
func (d *dialog) approved() (agent.Approval, bool) {
	a := agent.Approval{By: "tty", Approved: true}
	switch {
	case len(d.pending) > 0:
		fmt.Fprintln(d.out, "Some lines are not shown yet: m shows more, v shows all.")
		return a, false
	case d.choice == nil || !slices.Contains(d.choice.marked, false):
		return a, true
	case !slices.Contains(d.choice.marked, true):
		fmt.Fprintln(d.out, "No file is marked: n denies the call.")
		return a, false
	}
	a.Modified = d.choice.arguments(d.q.Arguments)
	return a, true
}

// toggleMarks marks and unmarks files.
func (d *dialog) toggleMarks(words string) {
	if d.choice == nil || !d.choice.mark(words) {
		fmt.Fprintf(d.out, "%q is not an answer.\n", words)
		return
	}
	d.choice.show(d.out)
}

// lines returns the display of the call, wrapped to the terminal. Text from a model is escaped, so that it cannot draw
// on the terminal. Secrets are masked before lines are wrapped.
func (d *dialog) lines() []string {
	var out []string
	line := func(name, text string) {
		for i, part := range report.Wrap(d.hide(escapeInvisible(text)), max(d.width-14, 20)) {
			if i > 0 {
				name = ""
			}
			out = append(out, fmt.Sprintf("  %-10s %s", onOneLine(name), part))
		}
	}
	row := func(name, text string) {
		if text != "" {
			line(name, onOneLine(text))
		}
	}
	row("tool", d.q.Tool+" ("+string(d.q.Effect)+")")
	gjson.ParseBytes(d.q.Arguments).ForEach(func(name, value gjson.Result) bool {
		switch {
		case d.choice != nil && d.choice.name == name.Str:
			var files bytes.Buffer
			d.choice.show(&files)
			out = append(out, "  "+onOneLine(name.Str))
			out = append(out, strings.Split(strings.TrimSuffix(files.String(), "\n"), "\n")...)
		case d.isShownAsDiff(value):
			line(name.Str, fmt.Sprintf("%d bytes, shown below", len(value.Str)))
		default:
			line(name.Str, string(compactJSON(json.RawMessage(value.Raw)))) // spaces preserved
		}
		return true
	})
	for _, effect := range d.q.EffectLines() {
		line("effect", effect)
	}
	row("purpose", d.q.Purpose)
	row("rule", d.q.Rule)
	row("reason", d.q.Why)
	row("privacy", d.q.Note)
	row("digest", d.q.Digest)
	for _, f := range d.q.Preview.Files {
		if f.Reason != "" && d.choice == nil {
			row("file", escapeInvisible(f.Path)+": "+f.Reason)
		}
		out = append(out, d.changes(f)...)
	}
	return out
}

// isShownAsDiff reports whether an argument is the new content of a file, which is shown as a diff.
func (d *dialog) isShownAsDiff(value gjson.Result) bool {
	return value.Type == gjson.String && slices.ContainsFunc(d.q.Preview.Files, func(f chat.FilePreview) bool {
		return f.New != nil && string(f.New) == value.Str && fileDiff(f) != nil
	})
}

// changes returns the diff of a file, wrapped to the terminal.
func (d *dialog) changes(f chat.FilePreview) []string {
	var out []string
	for _, change := range fileDiff(f) {
		joint := " " // marks continuation lines
		for _, part := range report.Wrap(d.hide(escapeInvisible(change.text)), max(d.width-4, 20)) {
			out = append(out, d.colorLine(change.op, fmt.Sprintf("  %c%s%s", change.op, joint, part)))
			joint = "…"
		}
	}
	return out
}

// colorLine colours a line of a diff.
func (d *dialog) colorLine(op byte, line string) string {
	code := map[byte]string{'+': "32", '-': "31", '@': "36"}[op]
	if d.plain || code == "" {
		return line
	}
	return "\x1b[" + code + "m" + line + "\x1b[0m"
}

// fileDiff returns the diff of a write, nil without a write or if the old content is not text. The effects then
// mention the loss, and the arguments contain the new content.
func fileDiff(f chat.FilePreview) []diffLine {
	if f.New == nil || bytes.IndexByte(f.Old, 0) >= 0 || !utf8.Valid(f.Old) {
		return nil
	}
	return collapseUnchanged(lineDiff(textLines(string(f.Old)), textLines(string(f.New))))
}

// showArguments shows the arguments as JSON.
func (d *dialog) showArguments() {
	var doc bytes.Buffer
	if json.Indent(&doc, d.q.Arguments, "", "  ") != nil {
		doc.Write(d.q.Arguments)
	}
	for line := range strings.Lines(doc.String()) {
		fmt.Fprintf(d.out, "  %s\n", escapeInvisible(strings.TrimSuffix(line, "\n")))
	}
}

// onOneLine returns a text on one line, with control characters escaped.
func onOneLine(text string) string { return escapeInvisible(strings.Join(strings.Fields(text), " ")) }

// describeDataFlow describes where the data of a call goes, or returns "". A call from the command line has no model.
func describeDataFlow(def *tool.Definition, model string) string {
	var parts []string
	if slices.Contains(def.Labels, tool.Private) {
		parts = append(parts, "it reads private data")
	}
	switch {
	case def.HTTP != nil:
		parts = append(parts, "its arguments go to "+def.HTTP.Origin)
	case slices.Contains(def.Labels, tool.Sink):
		parts = append(parts, "its arguments can leave this machine")
	}
	if model != "" {
		parts = append(parts, "its result goes to the model "+model)
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
