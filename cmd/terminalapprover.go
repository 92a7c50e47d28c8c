package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"oneshot/pkg/agent"
)

// openTerminal opens the controlling terminal, independent of stdin and stdout. It discards input typed before the
// question.
func openTerminal() (*os.File, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no terminal: %w", err)
	}
	if err := discardInput(f); err != nil {
		return nil, errors.Join(fmt.Errorf("terminal: %w", err), f.Close())
	}
	return f, nil
}

// discardInput discards unread terminal input.
func discardInput(tty *os.File) error { return withDescriptor(tty, flushInput) }

// isGone reports whether a terminal has been hung up.
func isGone(tty *os.File) bool {
	_, _, err := terminalSize(tty)
	return err != nil
}

// terminalSize returns the size of a terminal, which can be 0.
func terminalSize(tty *os.File) (columns, rows int, err error) {
	err = withDescriptor(tty, func(fd int) error {
		size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err != nil {
			return err
		}
		columns, rows = int(size.Col), int(size.Row)
		return nil
	})
	return columns, rows, err
}

// withDescriptor calls do with the descriptor of a file.
func withDescriptor(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn() // Fd would make reads block
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}

// A terminalApprover asks for approval at the terminal.
type terminalApprover struct {
	console *console
	model   string
}

// dialog returns the dialog for a question.
func (a *terminalApprover) dialog(tty *os.File, q agent.ApprovalRequest) *dialog {
	d := &dialog{
		in: bufio.NewReader(tty), out: redactingWriter{tty, a.console.secrets}, q: q, choice: fileChoiceOf(q),
		width: defaultColumns, height: 24, hide: a.console.secrets.Redact,
		discardTyped: func() error { return discardInput(tty) },
		plain:        a.console.color == "never" || a.console.color == "auto" && a.console.noColor,
	}
	if columns, rows, _ := terminalSize(tty); columns > 0 && rows > 0 { // else the default size
		d.width, d.height = max(columns, minColumns), max(rows, 12)
	}
	return d
}

// hangupWait is how long SIGHUP may take after the terminal closes.
const hangupWait = 500 * time.Millisecond

// Approve asks at the terminal. A closed terminal is a refusal.
func (a *terminalApprover) Approve(ctx context.Context, q agent.ApprovalRequest) (agent.Approval, error) {
	tty, err := openTerminal()
	if err != nil {
		return agent.Approval{}, err
	}
	defer tty.Close()
	defer a.console.live.suspend()()
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
	q.Note = describeDataFlow(q.Def, a.model)
	d := a.dialog(tty, q)
	approval, err := d.run()
	if isGone(tty) { // SIGHUP follows unless it is ignored
		select {
		case <-ctx.Done():
		case <-time.After(hangupWait):
		}
	}
	if ctx.Err() != nil {
		return agent.Approval{}, context.Cause(ctx)
	}
	return approval, err
}

// A choice is a list of files in an argument, from which the user can remove some.
type choice struct {
	name   string
	files  []gjson.Result
	why    []string // the origin of each name
	marked []bool
}

// fileChoiceOf returns the first argument that is a list of at least two files, or nil.
func fileChoiceOf(q agent.ApprovalRequest) *choice {
	var found *choice
	properties := gjson.GetBytes(q.Def.Schema, "properties")
	gjson.ParseBytes(q.Arguments).ForEach(func(name, value gjson.Result) bool {
		files := value.Array()
		if properties.Get(gjson.Escape(name.Str)).Get("items.format").Str != "path" || !value.IsArray() || len(files) < 2 {
			return true
		}
		found = &choice{name: name.Str, files: files, why: make([]string, len(files)), marked: make([]bool, len(files))}
		for i, f := range files {
			found.why[i] = nameOrigin(q, f.Str)
		}
		found.all(true)
		return false
	})
	return found
}

// nameOrigin returns the origin of a file name in a call.
func nameOrigin(q agent.ApprovalRequest, path string) string {
	for _, f := range q.Preview.Files {
		if f.Path == path && f.Reason != "" {
			return "  (" + f.Reason + ")"
		}
	}
	return ""
}

func (c *choice) all(marked bool) {
	for i := range c.marked {
		c.marked[i] = marked
	}
}

// mark applies the commands a, d, or numbers to toggle. It reports false for anything else.
func (c *choice) mark(words string) bool {
	switch words {
	case "a":
		c.all(true)
		return true
	case "d":
		c.all(false)
		return true
	}
	after := slices.Clone(c.marked)
	for _, word := range strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(after) {
			return false
		}
		after[n-1] = !after[n-1]
	}
	c.marked = after
	return true
}

func (c *choice) show(out io.Writer) {
	for i, file := range c.files {
		mark := " "
		if c.marked[i] {
			mark = "x"
		}
		name := onOneLine(file.String())
		if name != file.String() { // the name contains invisible characters
			name = escapeInvisible(file.Raw)
		}
		fmt.Fprintf(out, "    [%s] %d  %s%s\n", mark, i+1, name, escapeInvisible(c.why[i]))
	}
}

// arguments returns the arguments with only the marked files.
func (c *choice) arguments(args json.RawMessage) json.RawMessage {
	kept := []byte("[")
	for i, file := range c.files {
		if !c.marked[i] {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, file.Raw...)
	}
	kept = append(kept, ']')
	out := []byte("{")
	gjson.ParseBytes(args).ForEach(func(name, value gjson.Result) bool {
		if len(out) > 1 {
			out = append(out, ',')
		}
		raw := []byte(value.Raw)
		if name.Str == c.name {
			raw = kept
		}
		out = append(append(append(out, name.Raw...), ':'), raw...)
		return true
	})
	return append(out, '}')
}
