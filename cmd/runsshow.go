package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

func (o *runsOptions) show(name string) error {
	if err := checkFormat(o.format, "text", "json", "events", "messages"); err != nil {
		return err
	}
	path, err := o.find(name)
	if err != nil {
		return err
	}
	f, err := openFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.isBatch(name):
		return &hintedError{&inputError{fmt.Errorf("%q is a batch", name)}, "see oneshot runs list --batch " + name}
	case errors.Is(err, fs.ErrNotExist):
		return runNotFoundError(name)
	case err != nil:
		return err
	}
	defer f.Close()
	if o.format == "events" || o.format == "messages" {
		return o.project(path, f)
	}
	scan := runfile.NewScanner(f)
	shown, err := o.printRecords(scan.Records())
	return o.checkShown(path, scan, shown, err)
}

// checkShown returns the error of a command that has printed records, or notes that the last one is torn.
func (o *runsOptions) checkShown(path string, scan *runfile.Scanner, shown int, err error) error {
	switch {
	case err != nil:
		return err
	case as[*runfile.DamageError](scan.Err): // the records before it are shown
		return fmt.Errorf("%s: %w", path, scan.Err)
	case scan.Err != nil:
		return asInputError(scan.Err)
	case shown == 0:
		log := runfile.Log{Torn: scan.Torn}
		return fmt.Errorf("%s: %w", path, log.CheckNotEmpty())
	case scan.Torn != nil && o.format != "json":
		o.console.note("the last record is torn: the run was cut off while writing it")
	}
	return nil
}

// printRecords prints records and returns their number.
func (o *runsOptions) printRecords(records iter.Seq[runfile.Record]) (shown int, err error) {
	out := bufio.NewWriter(o.console.out)
	t := timeline{tools: map[string]string{}, args: map[string]json.RawMessage{}}
	for r := range records {
		if shown++; shown == 1 {
			t.began = r.Time
		}
		if o.format == "json" {
			err = printIndented(out, shown, r)
		} else {
			_, err = fmt.Fprintln(out, redact.HideKeys(t.line(r)))
		}
		if err != nil {
			return shown, err
		}
	}
	if o.format == "json" && shown > 0 {
		fmt.Fprint(out, "\n]\n") // Flush returns the error
	}
	return shown, out.Flush()
}

// printIndented prints a record as the element of that number of a JSON array, formatted like [report.JSON].
func printIndented(w io.Writer, number int, r runfile.Record) error {
	text, err := r.MarshalJSON()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(map[bool]string{true: "[\n  ", false: ",\n  "}[number == 1])
	if err := json.Indent(&b, text, "  ", "  "); err != nil {
		return err
	}
	_, err = w.Write(diag.EscapeInvisibleJSON(b.Bytes()))
	return err
}

// A timeline renders the records of a run in order.
type timeline struct {
	began time.Time
	tools map[string]string          // of the calls so far, by ID
	args  map[string]json.RawMessage // of the calls of the latest response
}

// line renders a record as text: a heading with the time since the start of the run, then its content, indented.
func (t timeline) line(r runfile.Record) string {
	head, body := t.describe(r)
	var text strings.Builder
	fmt.Fprintf(&text, "%3d %9.3fs  %-15s %s", r.Seq, r.Time.Sub(t.began).Seconds(), escapeInvisible(string(r.Kind)), escapeInvisible(head))
	for l := range strings.Lines(escapeInvisible(body)) {
		text.WriteString("\n     | ")
		text.WriteString(strings.TrimRight(l, "\n"))
	}
	return text.String()
}

// call returns the ID and tool of a call.
func (t timeline) call(id string) string {
	return strings.TrimSpace(id + " " + escapeInvisible(t.tools[id]))
}

func (t timeline) describe(r runfile.Record) (head, text string) {
	switch b := r.Body.(type) {
	case runfile.Run:
		return fmt.Sprintf("%s %s dialect %s", b.ID, b.Model, b.Dialect), strings.Join(slices.Concat([]string{b.Prompt}, describeAgentFile(b.Agent), describeSettings(b.Resolved)), "\n")
	case runfile.Attachment:
		return fmt.Sprintf("sha256:%s, %d bytes", b.SHA256, len(b.Data)), ""
	case runfile.Request:
		clear(t.args)
		var said []string
		for _, m := range b.Messages {
			said = append(said, strings.TrimSuffix(string(m.Role)+": "+m.Content+"\n"+describeAttachments(m.Attachments), "\n"))
		}
		return fmt.Sprintf("turn %d, %s", b.Turn, b.Purpose), strings.Join(said, "\n")
	case runfile.Attempt:
		head = fmt.Sprintf("turn %d, attempt %d failed", b.Turn, b.Number)
		if b.Charged {
			head += ", " + describeUsage(b.Usage)
		}
		return head, b.Error
	case runfile.Response:
		return describeResponse(b)
	case runfile.Call:
		t.tools[b.ID], t.args[b.ID] = b.Name, b.Effective
		head = fmt.Sprintf("%s: %s %s", t.call(b.ID), b.Verdict, b.Rule)
		if b.Why != "" && b.Verdict != "allow" {
			head += ", " + oneLineExcerpt(b.Why, 200)
		}
		return head, string(b.Effective)
	case runfile.Approval:
		return t.describeApproval(b)
	case runfile.Intent:
		head, text := describeBefore(b.Before, t.args[b.Call])
		return t.call(b.Call) + head, text
	case runfile.Result:
		envelope, err := b.Result.MarshalJSON()
		if err != nil {
			return t.call(b.Call), err.Error()
		}
		head = fmt.Sprintf("%s after %v", t.call(b.Call), b.Duration.Round(time.Millisecond))
		if c := b.Cached; c != nil {
			head += fmt.Sprintf(", from the cache: run %s at %s", c.Run, c.At.Format(time.RFC3339))
		}
		return head, string(envelope)
	case runfile.Discarded:
		return t.call(b.Call), b.Why
	case runfile.UnknownOutcome:
		return t.call(b.Call), ""
	case runfile.Answer:
		return fmt.Sprintf("by %s, %d repairs", b.FormatMode, b.Repairs), string(b.JSON)
	case runfile.UserInput:
		var said []string
		for _, name := range slices.Sorted(maps.Keys(b.Values)) {
			said = append(said, name+": "+b.Values[name])
		}
		return "for " + b.Tool, strings.Join(said, "\n")
	case runfile.End:
		return describeEnd(b)
	case runfile.Resumed:
		return describeResume(b.KeptThrough, r.Seq), strings.Join(slices.Concat(b.Options, b.Approve, describeSettings(b.Resolved)), "\n")
	}
	return "", ""
}

// describeEnd describes the end of a run, with a line for each model.
func describeEnd(b runfile.End) (head, text string) {
	head = fmt.Sprintf("exit %d %s, %d turns, %d calls, %s, %s", b.Exit, b.Name, b.Turns, b.Calls, describeUsage(b.Usage), describeCost(b.Cost))
	var lines []string
	if b.Why != "" {
		lines = append(lines, b.Why)
	}
	for _, w := range b.Warnings {
		lines = append(lines, "warning: "+w)
	}
	for _, m := range b.Models {
		lines = append(lines, fmt.Sprintf("%s: %d requests, %s, %s", cmp.Or(m.Model, "unknown model"), m.Requests, describeUsage(m.Usage), describeCost(m.Cost)))
	}
	return head, strings.Join(lines, "\n")
}

// describeUsage returns the tokens of a usage as input and output, and their known parts.
func describeUsage(u chat.Usage) string {
	var parts []string
	for _, part := range []struct {
		name   string
		tokens int
	}{{"cached", u.CachedInputTokens}, {"written to the cache", u.CacheWriteTokens}, {"reasoning", u.ReasoningTokens}, {"estimated", u.EstimatedTokens}} {
		if part.tokens > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.tokens, part.name))
		}
	}
	text := fmt.Sprintf("%d + %d tokens", u.InputTokens, u.OutputTokens)
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// describeCost returns a cost in dollars.
func describeCost(c chat.Cost) string {
	if !c.Known {
		return "cost unknown"
	}
	return "$" + c.Amount.String()
}

// costSuffix returns a cost in words to append to a list, or "" if it is 0.
func costSuffix(c chat.Cost) string {
	switch {
	case c == chat.Cost{Known: true}:
		return ""
	case !c.Known && c.Amount > 0:
		return ", " + describeCost(c) + ", at least $" + c.Amount.String()
	default:
		return ", " + describeCost(c)
	}
}

// describeBefore describes the effect of a call on a file, with a diff if the old content is fully recorded.
func describeBefore(b *runfile.BeforeImage, args json.RawMessage) (head, diff string) {
	if b == nil {
		return "", ""
	}
	var put struct{ Path, Content string }
	_ = json.Unmarshal(args, &put) // they were checked before the call
	isText := b.Text != "" || b.Bytes == 0
	switch {
	case b.State == chat.FileMissing:
		head = " creates " + put.Path
	case b.State != chat.FilePresent:
		return " to " + put.Path + ", whose content is unknown: " + b.State, ""
	case b.Truncated:
		return fmt.Sprintf(" replaces %s: %d bytes, sha256 %s, of which the first %d are on record", put.Path, b.Bytes, b.SHA256, len(b.Text)), ""
	default:
		head = fmt.Sprintf(" replaces %s: %d bytes, sha256 %s", put.Path, b.Bytes, b.SHA256)
	}
	if isText {
		diff = diffText(fileDiff(chat.FilePreview{Old: []byte(b.Text), New: []byte(put.Content)}))
	}
	return head, diff
}

// describeResume describes the record after which a run was resumed, and which records are void. Seq is the resume record.
func describeResume(keep, seq int) string {
	switch where := fmt.Sprintf("after record %d", keep); seq - keep {
	case 1:
		return where
	case 2:
		return fmt.Sprintf("%s; record %d is void", where, keep+1)
	default:
		return fmt.Sprintf("%s; records %d to %d are void", where, keep+1, seq-1)
	}
}

// describeApproval describes an approval.
func (t timeline) describeApproval(a runfile.Approval) (head, text string) {
	verdict := "refused"
	if a.Approved {
		verdict = "approved"
	}
	return fmt.Sprintf("%s %s by %s", t.call(a.Call), verdict, a.By), string(a.Modified)
}

// describeResponse shows the text and native calls of a response, and why it was broken off.
func describeResponse(r runfile.Response) (head, text string) {
	head = fmt.Sprintf("turn %d, %s, %s", r.Turn, r.Stop, describeUsage(r.Usage))
	if r.BrokenOff != "" {
		head += ", broken off: " + r.BrokenOff
	}
	lines := []string{}
	if r.Content != "" {
		lines = append(lines, r.Content)
	}
	if r.Digest != "" {
		lines = append(lines, fmt.Sprintf("[cut: %d bytes of content and reasoning in all, %s]", r.Bytes, r.Digest), r.Tail)
	}
	for _, c := range r.Calls {
		arguments := string(c.Arguments)
		if arguments == "" {
			arguments = c.Text
		}
		lines = append(lines, "call "+c.ID+": "+c.Name+" "+arguments)
	}
	return head, strings.Join(lines, "\n")
}
