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

	"github.com/spf13/cobra"

	"oneshot/pkg/runfile"
	"oneshot/pkg/telemetry"
)

// defineBatch defines the flag that selects the runs of a batch.
func (o *runsOptions) defineBatch(c *cobra.Command) {
	c.Flags().StringVar(&o.batch, "batch", "", "only the runs of the batch `ID`")
}

// batchDirs returns the directories of the batches in the state directory, newest first.
func (o *runsOptions) batchDirs() ([]string, error) {
	dir, err := stateDir(o.env, "batches")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &inputError{err}
	}
	var dirs []string
	for _, e := range slices.Backward(entries) {
		if isBatchID(e.Name()) && e.IsDir() {
			dirs = append(dirs, filepath.Join(dir, e.Name()))
		}
	}
	return dirs, nil
}

// isBatchID reports whether a name in the directory of batches can be that of a batch.
func isBatchID(name string) bool {
	return name != "" && name[0] >= '0' && name[0] <= '9' && name == filepath.Base(name)
}

// batchDir returns the directory of a batch, and whether it exists.
func (o *runsOptions) batchDir(id string) (string, bool, error) {
	dir, err := stateDir(o.env, "batches")
	if err != nil || !isBatchID(id) {
		return "", false, err
	}
	dir = filepath.Join(dir, id)
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir(), nil
}

// isBatch reports whether there is a batch with an ID.
func (o *runsOptions) isBatch(id string) bool {
	_, exists, err := o.batchDir(id)
	return exists && err == nil
}

// allFiles returns the run files in the state directory, those of single runs first, or with --batch those of the batch.
func (o *runsOptions) allFiles() ([]string, error) {
	if o.batch != "" {
		dir, exists, err := o.batchDir(o.batch)
		switch {
		case err != nil:
			return nil, err
		case !exists:
			return nil, &hintedError{&inputError{fmt.Errorf("batch %q not found", o.batch)}, showsIDs}
		}
		return runFilesIn(dir)
	}
	paths, err := o.files()
	if err != nil {
		return nil, err
	}
	dirs, err := o.batchDirs()
	for _, dir := range dirs {
		more, err := runFilesIn(dir)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, err
}

// listBatch lists the runs of a batch in the order of its records.
func (o *runsOptions) listBatch() error {
	paths, err := o.allFiles()
	if err != nil {
		return err
	}
	runs := make([]*runSummary, len(paths))
	inParallel(len(paths), func(i int) { runs[i] = summarise(paths[i]) })
	slices.SortStableFunc(runs, func(a, b *runSummary) int { return a.index - b.index })
	rows := make([]listRow, len(runs))
	for i, run := range runs {
		rows[i] = run
	}
	return o.printList("RECORD", o.selectRows(rows))
}

// A batchSummary is the line of a batch in "runs list". Model, agent and prompt are those of one of its runs; all are alike.
type batchSummary struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time"`
	Model  string    `json:"model"`
	Agent  string    `json:"agent,omitempty"`
	Runs   int       `json:"runs"`
	Prompt string    `json:"prompt"`
	Output string    `json:"output,omitempty"` // "" for stdout
	Dir    string    `json:"dir"`
	Fault  string    `json:"fault,omitempty"` // why the directory or its index cannot be read

	first telemetry.Run // of that run
}

func (s *batchSummary) id() string { return s.ID }

func (s *batchSummary) facts() (run telemetry.Run, fault string) {
	run = s.first
	run.Start = s.Time
	if s.first.Start.IsZero() {
		fault = "none of its runs can be read"
	}
	return run, cmp.Or(s.Fault, fault)
}

func (s *batchSummary) cells() []string {
	exit := "batch of " + strconv.Itoa(s.Runs)
	if s.Fault != "" {
		exit = "damaged"
	}
	return []string{s.ID, s.Model, "-", exit, s.Prompt}
}

// summariseBatch reads the index of a batch and the first record of one of its runs.
func summariseBatch(dir string) *batchSummary {
	s := &batchSummary{ID: filepath.Base(dir), Dir: dir}
	head, err := readIndexHead(dir)
	if err == nil {
		s.Time, s.Output = head.Started, head.Output
		err = s.readRuns()
	}
	if err != nil {
		s.Fault = err.Error()
	}
	return s
}

// readRuns counts the runs and reads the first record of one of them.
func (s *batchSummary) readRuns() error {
	d, err := os.Open(s.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if !strings.HasSuffix(name, ".jsonl") || name == indexName {
			continue
		}
		if s.Runs++; s.Model == "" {
			if log, err := readFirstRecord(filepath.Join(s.Dir, name)); err == nil && len(log.Records) > 0 {
				s.first = telemetry.NewRun(log.Records[0])
				s.Model, s.Agent, s.Prompt = s.first.Model, s.first.Agent, s.first.Prompt
			}
		}
	}
	return err
}

// readFirstRecord reads the first record of a run file.
func readFirstRecord(path string) (*runfile.Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &inputError{err}
	}
	defer f.Close()
	return runfile.ReadFirst(f)
}
