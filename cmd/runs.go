package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/diag/report"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/secret"
)

// runsOptions are the flags of "oneshot runs".
type runsOptions struct {
	env    Env
	talk   *talk
	format string
}

// showsIDs says where the names of runs are.
const showsIDs = "oneshot runs list shows the IDs"

func newRuns(env Env, t *talk) *cobra.Command {
	o := &runsOptions{env: env, talk: t}
	list := &cobra.Command{
		Use:     "list",
		Short:   "List the recorded runs, newest first",
		Example: "  oneshot runs list\n  oneshot runs list --format json",
		RunE:    func(*cobra.Command, []string) error { return o.list() },
	}
	show := &cobra.Command{
		Use:     "show [flags] ID|FILE|last",
		Short:   "Show what happened in a recorded run",
		Example: "  oneshot runs show last\n  oneshot runs show last --format json",
		Args:    oneArgument("ID, FILE or last", showsIDs),
		RunE:    func(_ *cobra.Command, args []string) error { return o.show(args[0]) },
	}
	prune := newPrune(o)
	for _, c := range []*cobra.Command{list, show, prune} {
		c.Flags().StringVar(&o.format, "format", "text", "text or json")
	}
	group := &cobra.Command{Use: "runs", Short: "List, show and delete recorded runs", Example: "  oneshot runs list\n  oneshot runs prune --dry-run"}
	group.AddCommand(list, show, prune)
	return group
}

// A runSummary is one line of "runs list".
type runSummary struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time"`
	Model  string    `json:"model"`
	Turns  int       `json:"turns"`
	Exit   *int      `json:"exit"` // absent while it runs, or after a crash
	Name   string    `json:"name"` // of the exit
	Prompt string    `json:"prompt"`
	File   string    `json:"file"`
	Fault  string    `json:"fault,omitempty"` // why the file cannot be read
}

func (o *runsOptions) list() error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	paths, err := o.files()
	if err != nil {
		return err
	}
	runs := make([]runSummary, len(paths))
	for i, path := range paths {
		runs[i] = summarise(path)
	}
	if o.format == "json" {
		return report.JSON(o.talk.out, runs)
	}
	return o.table(runs)
}

// files returns the records in the state directory, newest first. What is no regular file is
// none: a pipe would never end, and what a link leads to is elsewhere.
func (o *runsOptions) files() ([]string, error) {
	dir, err := stateDir(o.env, "runs")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &inputError{err}
	}
	var paths []string
	for _, e := range slices.Backward(entries) { // ids sort by time
		if strings.HasSuffix(e.Name(), ".jsonl") && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

func summarise(path string) runSummary {
	s := runSummary{ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), File: path, Name: "unfinished"}
	log, err := runfile.ReadFile(path)
	if err == nil {
		err = log.Empty()
	}
	if err != nil {
		s.Name, s.Fault = "damaged", err.Error()
		return s
	}
	if run, ok := log.Run(); ok {
		s.Time, s.Model, s.Prompt = log.Records[0].Time, run.Model, run.Prompt
	}
	for _, r := range log.Standing() {
		switch b := r.Body.(type) {
		case runfile.Request:
			s.Turns++
		case runfile.End:
			s.Exit, s.Name = &b.Exit, b.Name
		}
	}
	return s
}

func (o *runsOptions) table(runs []runSummary) error {
	w := tabwriter.NewWriter(o.talk.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tMODEL\tTURNS\tEXIT\tPROMPT")
	for _, r := range runs {
		exit := r.Name
		if r.Exit != nil {
			exit = strconv.Itoa(*r.Exit) + " " + r.Name
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", r.ID, visible(r.Model), r.Turns, exit, firstWords(r.Prompt, 60))
	}
	return w.Flush()
}

// firstWords returns the beginning of a text on one line, at most n code points.
func firstWords(text string, n int) string {
	words := []rune(visible(strings.Join(strings.Fields(text), " ")))
	if len(words) > n {
		return string(words[:n-1]) + "…"
	}
	return string(words)
}

// find returns the file of a run: by path, by id or the latest.
func (o *runsOptions) find(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".jsonl") {
		return name, nil
	}
	if name == "last" {
		paths, err := o.files()
		switch {
		case err != nil:
			return "", err
		case len(paths) == 0:
			return "", &inputError{errors.New("there is no recorded run")}
		}
		return paths[0], nil
	}
	dir, err := stateDir(o.env, "runs")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name+".jsonl"), nil
}

func (o *runsOptions) show(name string) error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	path, err := o.find(name)
	if err != nil {
		return err
	}
	log, err := runfile.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &hintedError{unreadable(err), showsIDs}
	case err == nil && len(log.Records) == 0:
		return log.Empty()
	case err != nil && !as[*runfile.DamageError](err):
		return unreadable(err)
	}
	return errors.Join(o.timeline(log), err) // what stands before a damaged line is shown
}

// timeline prints records.
func (o *runsOptions) timeline(log *runfile.Log) error {
	if o.format == "json" {
		return report.JSON(o.talk.out, log.Records)
	}
	for _, r := range log.Records {
		if _, err := fmt.Fprintln(o.talk.out, secret.HideKeys(line(r, log.Records[0].Time))); err != nil {
			return err
		}
	}
	if log.Torn != nil {
		o.talk.note("the last record is torn: the run was cut off while writing it")
	}
	return nil
}

// line renders a record as text: a heading with the time since the run began, then what was said,
// indented.
func line(r runfile.Record, began time.Time) string {
	head, body := describe(r.Body)
	text := fmt.Sprintf("%3d %9.3fs  %-9s %s", r.Seq, r.Time.Sub(began).Seconds(), r.Kind, visible(head))
	for l := range strings.Lines(visible(body)) {
		text += "\n     | " + strings.TrimRight(l, "\n")
	}
	return text
}

func describe(body runfile.Body) (head, text string) {
	switch b := body.(type) {
	case runfile.Run:
		return fmt.Sprintf("%s %s dialect %s", b.ID, b.Model, b.Dialect), b.Prompt
	case runfile.Request:
		var said []string
		for _, m := range b.Messages {
			said = append(said, string(m.Role)+": "+m.Content)
		}
		return fmt.Sprintf("turn %d, %s", b.Turn, b.Purpose), strings.Join(said, "\n")
	case runfile.Attempt:
		return fmt.Sprintf("turn %d, attempt %d failed", b.Turn, b.Number), b.Error
	case runfile.Response:
		return describeResponse(b)
	case runfile.Call:
		return fmt.Sprintf("%s %s: %s %s", b.ID, visible(b.Name), b.Verdict, b.Rule), string(b.Effective)
	case runfile.Approval:
		return describeApproval(b)
	case runfile.Intent:
		return b.Call, ""
	case runfile.Result:
		envelope, err := b.Result.MarshalJSON()
		if err != nil {
			return b.Call, err.Error()
		}
		return fmt.Sprintf("%s after %v", b.Call, b.Duration.Round(time.Millisecond)), string(envelope)
	case runfile.Discarded:
		return b.Call, b.Why
	case runfile.Unknown:
		return b.Call, ""
	case runfile.Answer:
		return fmt.Sprintf("by %s, %d repairs", b.Rung, b.Repairs), string(b.JSON)
	case runfile.Told:
		var said []string
		for _, name := range slices.Sorted(maps.Keys(b.Values)) {
			said = append(said, name+": "+b.Values[name])
		}
		return "for " + b.Tool, strings.Join(said, "\n")
	case runfile.End:
		return fmt.Sprintf("exit %d %s, %d turns, %d calls, %d + %d tokens", b.Exit, b.Name, b.Turns, b.Calls, b.Usage.InputTokens, b.Usage.OutputTokens), b.Why
	case runfile.Resumed:
		return fmt.Sprintf("what stands behind record %d is void", b.Keep), strings.Join(slices.Concat(b.Options, b.Approve), "\n")
	}
	return "", ""
}

// describeApproval shows what was said about a call.
func describeApproval(a runfile.Approval) (head, text string) {
	verdict := "refused"
	if a.Approved {
		verdict = "approved"
	}
	return fmt.Sprintf("%s %s by %s", a.Call, verdict, a.By), string(a.Modified)
}

// describeResponse shows what a model said: its text, its native calls, and why
// none of it counts, if so.
func describeResponse(r runfile.Response) (head, text string) {
	head = fmt.Sprintf("turn %d, %s, %d + %d tokens", r.Turn, r.Stop, r.Usage.InputTokens, r.Usage.OutputTokens)
	if r.Broken != "" {
		head += ", broken off: " + r.Broken
	}
	lines := []string{}
	if r.Content != "" {
		lines = append(lines, r.Content)
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

// checkFormat refuses a --format that is none of the known ones.
func checkFormat(format string, known ...string) error {
	if slices.Contains(known, format) {
		return nil
	}
	return usagef("--format "+schema.Either(known), "--format: unknown value %q", format)
}
