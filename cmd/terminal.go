package cmd

import (
	"bufio"
	"bytes"
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
		return nil, fmt.Errorf("there is no terminal: %w", err)
	}
	if err := dropTyped(f); err != nil {
		return nil, errors.Join(fmt.Errorf("the terminal: %w", err), f.Close())
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
	talk  *talk
	model string
}

// hangup is how long the signal may take that says that the terminal has gone.
const hangup = 500 * time.Millisecond

// Approve answers a question. A terminal that is closed is a refusal.
func (a *terminalApprover) Approve(ctx context.Context, q agent.Question) (agent.Approval, error) {
	tty, err := openTerminal()
	if err != nil {
		return agent.Approval{}, err
	}
	defer tty.Close()
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
	q.Note = privacy(q.Def, a.model)
	d := dialog{in: bufio.NewReader(tty), out: hidingWriter{tty, a.talk.secrets}, q: q, choice: choiceOf(q)}
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

// A dialog asks one question.
type dialog struct {
	in     *bufio.Reader
	out    io.Writer
	q      agent.Question
	choice *choice // of files; nil where there is nothing to choose
}

// run shows the call and asks until there is an answer.
func (d *dialog) run() (agent.Approval, error) {
	d.show()
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
		case "v":
			d.showAll()
		default:
			d.choose(word)
		}
	}
}

// prompt is the line that asks.
func (d *dialog) prompt() string {
	if d.choice == nil {
		return "Run it? y yes, n no, v show everything [n] "
	}
	return "Run it? y with the marked ones, n no, 1 2 … mark or unmark, a all, d none, v show everything [n] "
}

// approved returns the approval of what is marked, if anything is.
func (d *dialog) approved() (agent.Approval, bool) {
	a := agent.Approval{By: "tty", Approved: true}
	if d.choice == nil || !slices.Contains(d.choice.marked, false) {
		return a, true
	}
	if !slices.Contains(d.choice.marked, true) {
		fmt.Fprintln(d.out, "Nothing is marked. n refuses the call.")
		return a, false
	}
	a.Modified = d.choice.arguments(d.q.Arguments)
	return a, true
}

// choose marks and unmarks files.
func (d *dialog) choose(words string) {
	if d.choice == nil || !d.choice.mark(words) {
		fmt.Fprintf(d.out, "%q is no answer.\n", words)
		return
	}
	d.choice.show(d.out)
}

// show shows the call. A model that wrote what stands here cannot draw on the terminal.
func (d *dialog) show() {
	fmt.Fprintf(d.out, "\noneshot: a call waits for approval\n")
	line := func(name, text string) { fmt.Fprintf(d.out, "  %-10s %s\n", inLine(name), visible(text)) }
	row := func(name, text string) {
		if text != "" {
			line(name, inLine(text))
		}
	}
	row("tool", d.q.Tool+" ("+string(d.q.Effect)+")")
	gjson.ParseBytes(d.q.Arguments).ForEach(func(name, value gjson.Result) bool {
		if d.choice != nil && d.choice.name == name.Str {
			fmt.Fprintf(d.out, "  %s\n", inLine(name.Str))
			d.choice.show(d.out)
			return true
		}
		line(name.Str, excerpt(compact(json.RawMessage(value.Raw)))) // with each space that it has
		return true
	})
	row("purpose", d.q.Purpose)
	row("rule", d.q.Rule)
	row("reason", d.q.Why)
	row("privacy", d.q.Note)
	row("digest", d.q.Digest)
}

// showAll shows the arguments whole.
func (d *dialog) showAll() {
	var doc bytes.Buffer
	if json.Indent(&doc, d.q.Arguments, "", "  ") != nil {
		doc.Write(d.q.Arguments)
	}
	for line := range strings.Lines(doc.String()) {
		fmt.Fprintf(d.out, "  %s\n", visible(strings.TrimSuffix(line, "\n")))
	}
}

// excerpt returns the beginning of a long value, and how much there is of it.
func excerpt(value []byte) string {
	const longest = 400
	if len(value) <= longest {
		return string(value)
	}
	return fmt.Sprintf("%s… (%d bytes in all, v shows them)", strings.ToValidUTF8(string(value[:longest]), ""), len(value))
}

// inLine returns a text on one line in which nothing is hidden.
func inLine(text string) string { return visible(strings.Join(strings.Fields(text), " ")) }

// A choice is an argument that is a list of files, of which a person can leave some out.
type choice struct {
	name   string
	files  []gjson.Result
	marked []bool
}

// choiceOf returns what can be chosen in a call, or nil: the first argument that is a list
// of files, with more than one.
func choiceOf(q agent.Question) *choice {
	var found *choice
	properties := gjson.GetBytes(q.Def.Schema, "properties")
	gjson.ParseBytes(q.Arguments).ForEach(func(name, value gjson.Result) bool {
		files := value.Array()
		if properties.Get(gjson.Escape(name.Str)).Get("items.format").Str != "path" || !value.IsArray() || len(files) < 2 {
			return true
		}
		found = &choice{name: name.Str, files: files, marked: make([]bool, len(files))}
		found.all(true)
		return false
	})
	return found
}

func (c *choice) all(marked bool) {
	for i := range c.marked {
		c.marked[i] = marked
	}
}

// mark does what a person typed: a, d, or numbers. It reports false, and does nothing, where
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
		fmt.Fprintf(out, "    [%s] %d  %s\n", mark, i+1, name)
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
