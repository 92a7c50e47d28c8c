package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"oneshot/pkg/diag/report"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
	"oneshot/pkg/telemetry"
)

// runsOptions are the flags of "oneshot runs".
type runsOptions struct {
	env     Env
	console *console
	format  string
	batch   string // the ID of the batch whose runs are selected; "" for all runs
	filter  runFilter
}

// showsIDs is the hint for an unknown run.
const showsIDs = "see oneshot runs list"

func newRuns(env Env, t *console) *cobra.Command {
	o := &runsOptions{env: env, console: t}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the recorded runs and batches, newest first",
		Long: `List prints a line for each run and each batch in the state directory, newest first. The
flags select some of them. A batch has no exit, so --exit lists the runs of batches one
by one. Records that cannot be searched are named on stderr.`,
		Example: "  oneshot runs list\n  oneshot runs list --exit limit --exit timeout --since 7d",
		RunE:    func(*cobra.Command, []string) error { return o.list() },
	}
	show := &cobra.Command{
		Use:     "show [flags] ID|FILE|last",
		Short:   "Show the timeline, records, events or messages of a recorded run",
		Example: "  oneshot runs show last\n  oneshot runs show last --format messages",
		Args:    oneArgument("ID, FILE or last", showsIDs),
		RunE:    func(_ *cobra.Command, args []string) error { return o.show(args[0]) },
	}
	prune := newPrune(o)
	for _, c := range []*cobra.Command{list, prune} {
		c.Flags().StringVar(&o.format, "format", "text", "print `FORMAT`: text or json")
	}
	o.defineBatch(list)
	o.filter.define(list, env)
	show.ValidArgsFunction = recordedRuns().completeFirst(env, nil)
	show.Flags().StringVar(&o.format, "format", "text", "print `FORMAT`: text, json (the records), events or messages (one JSON object per line)")
	group := &cobra.Command{Use: "runs", Short: "List, show, count, export and delete recorded runs", Example: "  oneshot runs list\n  oneshot runs prune --dry-run"}
	group.AddCommand(list, show, newStats(o), newExport(o), prune)
	return group
}

// A runSummary is one line of "runs list".
type runSummary struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time"`
	Model  string    `json:"model"`
	Agent  string    `json:"agent,omitempty"` // its name
	Turns  int       `json:"turns"`
	Exit   *int      `json:"exit"`             // nil while it runs, or after a crash
	Name   string    `json:"name"`             // of the exit
	Record string    `json:"record,omitempty"` // of a run of a batch
	Prompt string    `json:"prompt"`
	File   string    `json:"file"`
	Fault  string    `json:"fault,omitempty"` // why the file cannot be read

	index int // of the record
	first telemetry.Run
}

func (o *runsOptions) list() error {
	if err := cmp.Or(checkFormat(o.format, "text", "json"), o.filter.check()); err != nil {
		return err
	}
	if o.batch != "" {
		return o.listBatch()
	}
	paths, dirs, err := o.listedFiles()
	if err != nil {
		return err
	}
	rows := make([]listRow, len(paths)+len(dirs))
	inParallel(len(rows), func(i int) {
		if i < len(paths) {
			rows[i] = summarise(paths[i])
		} else {
			rows[i] = summariseBatch(dirs[i-len(paths)])
		}
	})
	rows = slices.DeleteFunc(rows, func(r listRow) bool {
		s, isBatch := r.(*batchSummary)
		return isBatch && s.Runs == 0 && s.Fault == "" // all are pruned
	})
	slices.SortStableFunc(rows, func(a, b listRow) int { return strings.Compare(b.id(), a.id()) })
	heading := "PROMPT"
	if o.listsBatchRuns() {
		heading = "RECORD OR PROMPT"
	}
	return o.printList(heading, o.selectRows(rows))
}

// listsBatchRuns reports whether a list has the runs of batches instead of the batches, which have no exit.
func (o *runsOptions) listsBatchRuns() bool { return len(o.filter.exits) > 0 }

// listedFiles returns the run files and the directories of batches that a list reads.
func (o *runsOptions) listedFiles() (paths, dirs []string, err error) {
	if o.listsBatchRuns() {
		paths, err = o.allFiles()
		return paths, nil, err
	}
	if paths, err = o.files(); err != nil {
		return nil, nil, err
	}
	dirs, err = o.batchDirs()
	return paths, dirs, err
}

// selectRows returns the rows that the filter selects. It names those that it cannot judge.
func (o *runsOptions) selectRows(rows []listRow) []listRow {
	if o.filter.isEmpty() {
		return rows
	}
	selected := []listRow{} // a list in JSON, too
	for _, row := range rows {
		switch run, fault := row.facts(); {
		case fault != "":
			o.console.note("not searched: %s: %s", row.id(), fault)
		case o.filter.matches(run):
			selected = append(selected, row)
		}
	}
	return selected
}

// A listRow is a run or a batch.
type listRow interface {
	id() string
	cells() []string
	facts() (run telemetry.Run, fault string) // for a filter, or why the files cannot be read
}

func (s *runSummary) id() string { return s.ID }

func (s *runSummary) facts() (run telemetry.Run, fault string) {
	run = s.first
	run.Exit = s.Name
	return run, s.Fault
}

func (s *runSummary) cells() []string {
	exit := s.Name
	if s.Exit != nil {
		exit = strconv.Itoa(*s.Exit) + " " + s.Name
	}
	return []string{s.ID, s.Model, strconv.Itoa(s.Turns), exit, cmp.Or(s.Record, s.Prompt)}
}

// printList prints the rows. The heading is that of the last column.
func (o *runsOptions) printList(heading string, rows []listRow) error {
	if o.format == "json" {
		return report.JSON(o.console.out, rows)
	}
	list := &table{heading: true, rows: [][]string{{"ID", "MODEL", "TURNS", "EXIT", heading}}, color: exitColor}
	for _, r := range rows {
		cells := r.cells()
		for i, cell := range cells {
			cells[i] = onOneLine(cell)
		}
		list.rows = append(list.rows, cells)
	}
	return o.console.printTable(list)
}

// exitColor returns the colour of a cell of "runs list": exits have one.
func exitColor(column int, cell string) color.Attribute {
	switch {
	case column != 3 || cell == telemetry.Unfinished || strings.HasPrefix(cell, "batch of "):
		return 0
	case strings.HasPrefix(cell, "0 "):
		return color.FgGreen
	}
	return color.FgRed
}

// files returns the files of the runs that are not of a batch, newest first.
func (o *runsOptions) files() ([]string, error) {
	dir, err := stateDir(o.env, "runs")
	if err != nil {
		return nil, err
	}
	return runFilesIn(dir)
}

// runFilesIn returns the run files in a directory, newest first: IDs sort by time. It skips pipes and links.
func runFilesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &inputError{err}
	}
	var paths []string
	for _, e := range slices.Backward(entries) {
		if strings.HasSuffix(e.Name(), ".jsonl") && e.Name() != indexName && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

func summarise(path string) *runSummary {
	s := &runSummary{ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), File: path, Name: telemetry.Unfinished}
	if summary, ok, err := runfile.ReadSummary(path); ok && err == nil {
		s.fillFromSummary(summary)
		return s
	}
	if err := s.read(path); err != nil {
		s.Name, s.Fault = "damaged", err.Error()
	}
	return s
}

// read reads all records of a run, for runs without a complete summary, such as those cut off.
func (s *runSummary) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("run file: %w", err)
	}
	defer f.Close()
	scan, log := runfile.NewScanner(f), &runfile.Log{}
	for r := range scan.Records() {
		switch r.Body.(type) {
		case runfile.Run:
			s.setRun(r)
		case runfile.Request:
			r.Body = runfile.Request{}
		case runfile.End, runfile.Resumed:
		default:
			continue
		}
		log.Records = append(log.Records, r)
	}
	log.Torn = scan.Torn
	if err := cmp.Or(scan.Err, log.CheckNotEmpty()); err != nil {
		return err
	}
	for _, r := range log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Request:
			s.Turns++
		case runfile.End:
			s.Exit, s.Name = &b.Exit, b.Name
		}
	}
	return nil
}

// fillFromSummary fills the summary from the first and last record.
func (s *runSummary) fillFromSummary(g runfile.Summary) {
	s.setRun(g.First)
	s.Turns = g.Turn
	if end, ok := g.Last.Body.(runfile.End); ok {
		s.Exit, s.Name = &end.Exit, end.Name
	}
}

// setRun fills in the fields of the first record, which is always a [runfile.Run].
func (s *runSummary) setRun(first runfile.Record) {
	s.first = telemetry.NewRun(first)
	s.Time, s.Model, s.Agent, s.Prompt = s.first.Start, s.first.Model, s.first.Agent, s.first.Prompt
	if run := first.Body.(runfile.Run); run.Batch != nil {
		s.Record, s.index = run.Batch.Record, run.Batch.Index
	}
}

// oneLineExcerpt returns the beginning of a text on one line, at most n code points.
func oneLineExcerpt(text string, n int) string {
	words := []rune(escapeInvisible(strings.Join(strings.Fields(text), " ")))
	if len(words) > n {
		return string(words[:n-1]) + "…"
	}
	return string(words)
}

// find returns the file of a run, named by path, by ID or as "last": the newest outside of batches.
func (o *runsOptions) find(name string) (string, error) {
	if isRunPath(name) {
		return name, nil
	}
	if of := batchOfRun(name); of != "" {
		dir, err := stateDir(o.env, "batches")
		return filepath.Join(dir, of, name+".jsonl"), err
	}
	dir, err := stateDir(o.env, "runs")
	if err != nil {
		return "", err
	}
	if name == "last" {
		paths, err := runFilesIn(dir)
		switch {
		case err != nil:
			return "", err
		case len(paths) == 0:
			return "", &hintedError{&inputError{fmt.Errorf("no runs are recorded in %s", dir)}, "start one with oneshot run"}
		}
		return paths[0], nil
	}
	return filepath.Join(dir, name+".jsonl"), nil
}

// runNotFoundError is the error for a run that does not exist, named by path or ID.
func runNotFoundError(name string) error {
	err := fmt.Errorf("run %q not found", name)
	if isRunPath(name) {
		err = fmt.Errorf("run file %s not found", name)
	}
	return &hintedError{&inputError{err}, showsIDs}
}

// runPathArgument returns the argument for a run file that [runsOptions.find] reads as a path and not as an ID.
func runPathArgument(path string) string {
	path = shortestPath(path)
	if !isRunPath(path) {
		path = "." + string(filepath.Separator) + path
	}
	return quote.Shell(path)
}

// isRunPath reports whether a run is named by path, and not by ID or "last".
func isRunPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".jsonl")
}
