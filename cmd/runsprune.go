package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/diag/report"
	"oneshot/pkg/runfile"
)

// defaultMaxAge is the default of --older-than.
const defaultMaxAge = 30 * 24 * time.Hour

// pruneOptions are the flags of "oneshot runs prune".
type pruneOptions struct {
	*runsOptions
	older  age
	keep   int
	all    bool // including runs that wait or were cut off
	dryRun bool
}

func newPrune(runs *runsOptions) *cobra.Command {
	o := &pruneOptions{runsOptions: runs, older: age(defaultMaxAge)}
	c := &cobra.Command{
		Use:   "prune [flags]",
		Short: "Delete the records of old runs",
		Long: `Prune deletes the records of old finished runs from the state directory, failed runs
included, and prints their file names. It keeps runs that were cut off or wait for an
answer, an approval or a check of a change with unknown outcome. It never deletes the
record of an active run or batch, or of a run without a line in the output of its batch
while that exists: continuing the batch would repeat the run. Expired results of the
cache of reads are deleted, too.`,
		Example: "  oneshot runs prune --dry-run\n  oneshot runs prune --older-than 7d --keep 20",
		RunE:    func(*cobra.Command, []string) error { return o.prune() },
	}
	f := c.Flags()
	f.Var(&o.older, "older-than", "delete runs whose last record is older than `AGE`, e.g. --older-than 7d or 12h")
	f.IntVar(&o.keep, "keep", 0, "keep the latest `N` runs and batches whatever their age")
	f.BoolVar(&o.all, "all", false, "also delete runs that wait or were cut off")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the files and delete nothing")
	return c
}

// prune is the command.
func (o *pruneOptions) prune() error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	if o.keep < 0 {
		return usagef("", "--keep must be at least 0, got %d", o.keep)
	}
	paths, err := o.files()
	if err != nil {
		return err
	}
	dirs, err := o.batchDirs()
	if err != nil {
		return err
	}
	all := append(paths, dirs...)
	slices.SortStableFunc(all, func(a, b string) int { return strings.Compare(filepath.Base(b), filepath.Base(a)) })
	gone := []string{} // a list in JSON, too
	var failed []error
	for _, path := range all[min(o.keep, len(all)):] {
		if !strings.HasSuffix(path, ".jsonl") {
			removed, err := o.pruneBatch(path)
			gone, failed = append(gone, removed...), append(failed, err)
			continue
		}
		removed, err := o.pruneRecord(path)
		if failed = append(failed, err); removed {
			gone = append(gone, path)
		}
	}
	if dir, err := stateDir(o.env, "cache"); err == nil && !o.dryRun {
		cachedResults{dir, o.env.Now}.prune()
	}
	return errors.Join(append(failed, o.print(gone))...)
}

// pruneRecord deletes an old record and reports whether it did. Unreadable records are kept with a note.
func (o *pruneOptions) pruneRecord(path string) (bool, error) {
	remove := o.canRemove
	if !o.dryRun {
		remove = func(path string) (bool, error) { return runfile.Remove(path, o.isExpired) }
	}
	gone, err := remove(path)
	switch {
	case as[*runfile.LockedError](err), errors.Is(err, fs.ErrNotExist): // deleted by another process
		return false, nil
	case as[*runfile.RemoveError](err):
		return false, &outputError{err}
	case err != nil:
		o.console.note("%s kept: %v", filepath.Base(path), err)
	}
	return gone, nil
}

// canRemove reports whether the record of a run is expired, and deletes nothing. The error is that of a deletion.
func (o *pruneOptions) canRemove(path string) (expired bool, err error) {
	_, err = runfile.Remove(path, func(last runfile.Record, written time.Time) bool {
		expired = o.isExpired(last, written)
		return false
	})
	return expired, err
}

// waitingExits are the exit codes of runs that wait for information, an approval, or a check of a change.
var waitingExits = []int{8, 10}

// isExpired reports whether a run ended long enough ago. A run without any record is as old as its file.
func (o *pruneOptions) isExpired(last runfile.Record, written time.Time) bool {
	if last.Body != nil {
		written = last.Time
	}
	end, ended := last.Body.(runfile.End)
	ended = ended && !slices.Contains(waitingExits, end.Exit)
	return (o.all || ended) && o.env.Now().Sub(written) >= time.Duration(o.older)
}

func (o *pruneOptions) print(gone []string) error {
	if o.format == "json" {
		return report.JSON(o.console.out, gone)
	}
	for _, path := range gone {
		if _, err := fmt.Fprintln(o.console.out, escapeInvisible(path)); err != nil {
			return err
		}
	}
	return nil
}

// An age is a duration that can be given in days.
type age time.Duration

func (a *age) String() string {
	if d := time.Duration(*a); d%(24*time.Hour) == 0 {
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
	return time.Duration(*a).String()
}

// Set parses 7d, or a duration for [time.ParseDuration].
func (a *age) Set(text string) error {
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	} else {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d < 0 {
		return errors.New("an age is such as 7d or 12h")
	}
	*a = age(d)
	return nil
}

// Type names it in the usage.
func (a *age) Type() string { return "age" }
