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

// openTerminal opens the terminal that the process belongs to, whatever stdin and stdout
// are. What was typed before a question is no answer to it, and is dropped.
func openTerminal() (*os.File, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no terminal: %w", err)
	}
	if err := dropTyped(f); err != nil {
		return nil, errors.Join(fmt.Errorf("terminal: %w", err), f.Close())
	}
	return f, nil
}

// dropTyped drops what was typed and not read.
func dropTyped(tty *os.File) error { return control(tty, flushTyped) }

// isGone reports whether a terminal has been hung up.
func isGone(tty *os.File) bool {
	return control(tty, func(fd int) error {
		_, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		return err
	}) != nil
}

// control does something with a file that only its number can be told.
func control(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn() // Fd would make reads wait for ever
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}

// A terminalApprover asks a person at a terminal.
type terminalApprover struct {
	console *console
	model   string
}

// dialog returns the dialog that asks a question at a terminal.
func (a *terminalApprover) dialog(tty *os.File, q agent.ApprovalRequest) *dialog {
	d := &dialog{
		in: bufio.NewReader(tty), out: redactingWriter{tty, a.console.secrets}, q: q, choice: choiceOf(q),
		width: 80, height: 24, hide: a.console.secrets.Redact,
		forget: func() error { return dropTyped(tty) },
		plain:  a.console.color == "never" || a.console.color == "auto" && a.console.noColor,
	}
	_ = control(tty, func(fd int) error { // else it is as large as most
		size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil && size.Col > 0 && size.Row > 0 {
			d.width, d.height = max(int(size.Col), 40), max(int(size.Row), 12)
		}
		return err
	})
	return d
}

// hangup is how long the signal may take that says that the terminal has gone.
const hangup = 500 * time.Millisecond

// Approve answers a question. A terminal that is closed is a refusal.
func (a *terminalApprover) Approve(ctx context.Context, q agent.ApprovalRequest) (agent.Approval, error) {
	tty, err := openTerminal()
	if err != nil {
		return agent.Approval{}, err
	}
	defer tty.Close()
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
	q.Note = privacy(q.Def, a.model)
	d := a.dialog(tty, q)
	approval, err := d.run()
	if isGone(tty) { // which a signal says, too, if it is not ignored
		select {
		case <-ctx.Done():
		case <-time.After(hangup):
		}
	}
	if ctx.Err() != nil {
		return agent.Approval{}, context.Cause(ctx)
	}
	return approval, err
}

// A choice is an argument that is a list of files, of which a person can leave some out.
type choice struct {
	name   string
	files  []gjson.Result
	why    []string // how the call came to name each
	marked []bool
}

// choiceOf returns what can be chosen in a call, or nil: the first argument that is a list
// of files, with more than one.
func choiceOf(q agent.ApprovalRequest) *choice {
	var found *choice
	properties := gjson.GetBytes(q.Def.Schema, "properties")
	gjson.ParseBytes(q.Arguments).ForEach(func(name, value gjson.Result) bool {
		files := value.Array()
		if properties.Get(gjson.Escape(name.Str)).Get("items.format").Str != "path" || !value.IsArray() || len(files) < 2 {
			return true
		}
		found = &choice{name: name.Str, files: files, why: make([]string, len(files)), marked: make([]bool, len(files))}
		for i, f := range files {
			found.why[i] = reasonOf(q, f.Str)
		}
		found.all(true)
		return false
	})
	return found
}

// reasonOf returns how a call came to name a file.
func reasonOf(q agent.ApprovalRequest, path string) string {
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

// status does what a person typed: a, d, or numbers. It reports false, and does nothing, where
// that says nothing.
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
		name := inLine(file.String())
		if name != file.String() { // a name that shows not what it is
			name = visible(file.Raw)
		}
		fmt.Fprintf(out, "    [%s] %d  %s%s\n", mark, i+1, name, visible(c.why[i]))
	}
}

// arguments returns the arguments with the files that are marked.
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
